/** The current Unix time in whole seconds, the unit of timestamp columns. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Whether a text names a time zone of the IANA database: "America/New_York". */
export function isTimeZone(name: string): boolean {
  try {
    return name !== "" && Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}
