import { accountMessages } from "./messages/accounts.ts";
import { channelMessages } from "./messages/channels.ts";
import { codeMessages } from "./messages/codes.ts";
import { commonMessages } from "./messages/common.ts";
import { doctorMessages } from "./messages/doctor.ts";
import { logMessages } from "./messages/logs.ts";
import { notifyMessages } from "./messages/notify.ts";
import { oauthMessages } from "./messages/oauth.ts";
import { securityMessages } from "./messages/security.ts";
import { settingMessages } from "./messages/settings.ts";
import { setupMessages } from "./messages/setup.ts";
import { signUpMessages } from "./messages/sign-up.ts";
import { tokenMessages } from "./messages/tokens.ts";
import { walletMessages } from "./messages/wallet.ts";

/** Everything the server says to a person, by code, in both languages; `{name}` is filled from the parameters. */
const catalogue = {
  ...commonMessages,
  ...accountMessages,
  ...settingMessages,
  ...setupMessages,
  ...channelMessages,
  ...signUpMessages,
  ...notifyMessages,
  ...oauthMessages,
  ...securityMessages,
  ...tokenMessages,
  ...logMessages,
  ...walletMessages,
  ...codeMessages,
  ...doctorMessages,
} as const satisfies Record<string, Message>;

type Message = Readonly<{ en: string; zh: string }>;
export type MessageCode = keyof typeof catalogue;
export type MessageParams = Readonly<Record<string, string | number>>;
export type Language = "en" | "zh";

/** The text of `code` in `language`; a parameter that is missing leaves its `{name}` standing. */
export function say(code: MessageCode, language: Language, params: MessageParams = {}): string {
  return catalogue[code][language].replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    name in params ? String(params[name]) : placeholder,
  );
}

/** The language a client prefers by its Accept-Language (RFC 9110, 12.5.4); English when it names neither. */
export function languageOf(request: Request): Language {
  const header = request.headers.get("accept-language");
  if (!header) return "en";
  let best: { language: Language; weight: number } = { language: "en", weight: 0 };
  for (const entry of header.split(",")) {
    const [range = "", ...options] = entry.trim().toLowerCase().split(";");
    const quality = options.find((option) => option.trim().startsWith("q="));
    const weight = quality ? Number(quality.trim().slice(2)) : 1;
    const language = range.startsWith("zh") ? "zh" : range.startsWith("en") ? "en" : null;
    if (language && weight > best.weight) best = { language, weight };
  }
  return best.language;
}
