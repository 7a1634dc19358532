import type { Application } from "../discover/application.ts";
import type { AppSide } from "../render/shown-data.ts";

/**
 * Finds the chart that shows an application, if only charts that are found by their place do. Whoever installs such a chart may
 * give it other values, which it passes on.
 */
export function showingCharts(
  sides: readonly Pick<AppSide, "application">[],
): (application: Application) => string | undefined {
  const byName = new Map(sides.map(({ application }) => [application.name, application]));
  const chartOf = ({ shownBy, alsoShownBy = [] }: Application, seen: ReadonlySet<string>): string | undefined => {
    // One may show itself.
    const others = shownBy === undefined ? [] : [shownBy, ...alsoShownBy].filter((name) => !seen.has(name));
    const charts = others.map((name) => {
      const other = byName.get(name);
      if (other === undefined || other.orphan === true) return undefined;
      return other.foundBy === "Chart" ? name : chartOf(other, new Set([...seen, name]));
    });
    return charts.includes(undefined) ? undefined : charts[0];
  };
  return (application) => chartOf(application, new Set([application.name]));
}
