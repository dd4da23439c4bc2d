import { type Source, SourceError } from "./source.ts";

/** Whose tables they are: the three are kin, and differ in columns and in what some numbers mean. */
export type Family = "one-api" | "new-api" | "Veloera";

/** Tells by the columns which gateway made the database. Throws SourceError when it was none of the three. */
export async function detectFamily(source: Source): Promise<Family> {
  const [users, tokens, channels] = await Promise.all(
    ["users", "tokens", "channels"].map((name) => source.columns(name)),
  );
  if (!users?.has("username") || !tokens?.has("key") || !channels?.has("models")) {
    throw new SourceError("the source has no tables of one-api, new-api or Veloera (users, tokens, channels)");
  }
  if (!tokens.has("model_limits_enabled")) return "one-api";
  return channels.has("model_prefix") || users.has("last_check_in_time") ? "Veloera" : "new-api";
}
