/** The parts of the personal page, by the `tab` in its address. */
export const TABS = ["account", "security", "notifications", "prices"] as const;
export type Tab = (typeof TABS)[number];

/** The part that an address names; else the first. */
export const tabOf = (given: unknown): Tab => TABS.find((tab) => tab === given) ?? "account";
