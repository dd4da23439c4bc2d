import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { askService, type OutsideDeps, type OutsideIdentity, texts, withParameters } from "./provider.ts";

/** The fields that Telegram signs; anything else in the address is not its word. */
const SIGNED = ["auth_date", "first_name", "id", "last_name", "photo_url", "username"] as const;
export type TelegramProof = Readonly<Partial<Record<(typeof SIGNED)[number] | "hash", string>>>;

const LONGEST_AGE_SECONDS = 600;
const CLOCK_TOLERANCE_SECONDS = 60;

/** Where the browser goes to ask Telegram; it comes back to `returnTo` with the proof in the fragment. */
export const telegramAddress = (settings: SettingsReader, base: string, returnTo: string): string =>
  withParameters(`${base}/auth`, {
    bot_id: settings.get("TelegramBotToken").split(":")[0] ?? "",
    origin: new URL(returnTo).origin,
    request_access: "write",
    return_to: returnTo,
  });

/**
 * Who Telegram says somebody is: its fields, sorted, signed under the bot's token, not older than ten minutes at `now`
 * (epoch seconds). Throws OperationError.
 */
export function readTelegramProof(settings: SettingsReader, proof: TelegramProof, now: number): OutsideIdentity {
  const token = settings.get("TelegramBotToken");
  const text = SIGNED.flatMap((name) => (proof[name] === undefined ? [] : [`${name}=${proof[name]}`])).join("\n");
  const expected = createHmac("sha256", createHash("sha256").update(token).digest()).update(text).digest();
  const input = Buffer.from(proof.hash ?? "", "hex");
  const isSigned = token !== "" && input.length === expected.length && timingSafeEqual(input, expected);
  const age = now - Number(proof.auth_date);
  const isFresh = age <= LONGEST_AGE_SECONDS && age >= -CLOCK_TOLERANCE_SECONDS;
  if (!isSigned || !isFresh || !/^\d{1,20}$/.test(proof.id ?? "")) throw new OperationError("telegram_proof_wrong");
  const displayName = [proof.first_name, proof.last_name].filter(Boolean).join(" ");
  return { subject: proof.id ?? "", ...texts({ displayName }) };
}

const LABEL = "WeChat";

/** Asks the WeChat server whose code this is: people get it by message from the site's public account. Throws OperationError. */
export async function identifyByWeChat(
  { settings, fetch }: Pick<OutsideDeps, "settings" | "fetch">,
  code: string,
): Promise<OutsideIdentity> {
  if (!settings.get("WeChatAuthEnabled")) throw new OperationError("oauth_disabled", { service: LABEL });
  if (code.trim() === "") throw new OperationError("oauth_code_required");
  const address = withParameters(`${settings.get("WeChatServerAddress")}/api/wechat/user`, { code: code.trim() });
  const answer = await askService(fetch, LABEL, address, {
    headers: { authorization: settings.get("WeChatServerToken") },
    maxRedirects: 0,
  });
  const { success, data } = answer;
  if (success !== true || typeof data !== "string" || data === "" || data.length > 255) {
    throw new OperationError("wechat_code_wrong");
  }
  return { subject: data };
}
