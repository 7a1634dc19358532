import type { Application } from "../discover/application.ts";
import type { AppSide } from "../render/shown-data.ts";

/**
 * Finds the chart that shows an application, if only charts that no object names show it. Whoever installs such a chart may
 * give it other values, which it passes on.
 */
export function showingCharts(
  sides: readonly Pick<AppSide, "application">[],
): (application: Application) => string | undefined {
  const byName = new Map(sides.map(({ application }) => [application.name, application]));
  return (application) => {
    const seen = new Set([application.name]);
    const ways = [application];
    let chart: string | undefined;
    for (const { shownBy, alsoShownBy = [] } of ways) {
      if (shownBy === undefined) return undefined;
      for (const name of [shownBy, ...alsoShownBy]) {
        // One may show itself.
        if (seen.has(name)) continue;
        seen.add(name);
        const other = byName.get(name);
        if (other === undefined || other.orphan === true) return undefined;
        if (other.foundBy === "Chart") chart ??= name;
        else ways.push(other);
      }
    }
    return chart;
  };
}
