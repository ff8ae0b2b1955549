/** The parts of the instance page, by the name in its address. */
export const instanceViews = ["health", "organizations", "accounts", "emails", "log"] as const;
export type InstanceView = (typeof instanceViews)[number];

export function readView(value: unknown): InstanceView | undefined {
  return instanceViews.find((view) => view === value);
}
