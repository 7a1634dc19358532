import type { Card } from "./card.ts";

const SVG = "http://www.w3.org/2000/svg";

/**
 * The cards of a column that are in view: lines are drawn between these only, so that thousands of cards
 * stay smooth. They stand in order, so the first is found by halving.
 */
function inView(column: Element, cards: readonly Card[]): Card[] {
  const { top, bottom } = column.getBoundingClientRect();
  const visible = cards.filter(({ element }) => !element.hidden);
  let low = 0;
  let high = visible.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((visible[middle]?.element.getBoundingClientRect().bottom ?? 0) < top) low = middle + 1;
    else high = middle;
  }
  const found: Card[] = [];
  for (let i = low; i < visible.length; i += 1) {
    const card = visible[i];
    if (card === undefined || card.element.getBoundingClientRect().top > bottom) break;
    found.push(card);
  }
  return found;
}

interface Marked {
  readonly selected: Card | undefined;
  readonly pointed: Card | undefined;
}

/** Draws a line from each source in view to each workload in view that uses it. */
export function drawLines(sources: readonly Card[], workloads: readonly Card[], { selected, pointed }: Marked): void {
  const lines = document.getElementById("lines");
  const columns = ["sources", "workloads"].map((id) => document.getElementById(id));
  const [left, right] = columns;
  if (lines === null || !left || !right) return;
  const frame = lines.getBoundingClientRect();
  const svg = document.createElementNS(SVG, "svg");
  // Between two columns there is room for lines; where they stand one below the other, there is none.
  if (frame.width > 0 && frame.height > 0) {
    svg.setAttribute("width", String(frame.width));
    svg.setAttribute("height", String(frame.height));
    const ends = new Set(inView(right, workloads));
    for (const source of inView(left, sources)) {
      for (const workload of source.neighbours.keys()) {
        if (!ends.has(workload)) continue;
        if (selected !== undefined && source !== selected && workload !== selected) continue;
        svg.append(line(frame, source, workload, source === pointed || workload === pointed));
      }
    }
  }
  lines.replaceChildren(svg);
}

function line(frame: DOMRect, source: Card, workload: Card, isPointed: boolean): SVGPathElement {
  const from = middleOf(source, frame);
  const to = middleOf(workload, frame);
  const bend = frame.width / 2;
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", `M0 ${from}C${bend} ${from} ${frame.width - bend} ${to} ${frame.width} ${to}`);
  if (isPointed) path.setAttribute("class", "pointed");
  return path;
}

/** The height of a card's heading in the frame. */
function middleOf(card: Card, frame: DOMRect): number {
  const box = (card.link.parentElement ?? card.element).getBoundingClientRect();
  return Math.round(box.top + box.height / 2 - frame.top);
}
