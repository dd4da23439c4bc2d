import { type Source, SourceError } from "../source.ts";

/** Gateways that are kin: their tables differ in columns and in what some numbers mean. */
export type Kin = "one-api" | "new-api" | "Veloera";

/** Whose tables they are. */
export type Family = Kin | "one-hub" | "done-hub" | "LiteLLM";

/** Detects from the columns which gateway made the database. Throws SourceError when it was none of these. */
export async function detectFamily(source: Source): Promise<Family> {
  if ((await source.columns("LiteLLM_VerificationToken")).has("token")) return "LiteLLM";
  const [users, tokens, channels] = await Promise.all(
    ["users", "tokens", "channels"].map((name) => source.columns(name)),
  );
  if (!users?.has("username") || !tokens?.has("key") || !channels?.has("models")) {
    throw new SourceError(
      "the source has no tables of one-api, new-api, Veloera, one-hub or done-hub (users, tokens, channels), nor of LiteLLM",
    );
  }
  if (channels.has("pre_cost")) return channels.has("cost_ratio") ? "done-hub" : "one-hub";
  if (!tokens.has("model_limits_enabled")) return "one-api";
  return channels.has("model_prefix") || users.has("last_check_in_time") ? "Veloera" : "new-api";
}
