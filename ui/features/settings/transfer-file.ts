/** What an exported file holds. */
export type SettingsFile = Readonly<{ format: "sluice-settings"; options: Readonly<Record<string, string>> }>;

/** Reads a file of settings; null when it is none. */
export function readSettingsFile(text: string): SettingsFile | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!value || typeof value !== "object" || !("format" in value) || value.format !== "sluice-settings") return null;
    if (!("options" in value) || !value.options || typeof value.options !== "object") return null;
    const isText = Object.values(value.options).every((option) => typeof option === "string");
    return isText ? (value as SettingsFile) : null;
  } catch {
    return null;
  }
}
