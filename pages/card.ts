/** A source or a workload of the page. */
export interface Card {
  readonly element: HTMLElement;
  readonly link: HTMLAnchorElement;
  readonly side: "sources" | "workloads";
  /** What is searched in: its kind, namespace and name, and of a source the keys that are seen. */
  readonly text: string;
  readonly namespace: string;
  readonly kind: string;
  readonly coverage: string;
  /** The cards that it is connected with, and what each of its own lines says of that. */
  readonly neighbours: Map<Card, HTMLElement>;
}
