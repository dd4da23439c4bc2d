import { OperationError } from "../../../lib/operation-error.ts";
import { askService, type OutsideDeps, type OutsideIdentity, withParameters } from "./provider.ts";

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
