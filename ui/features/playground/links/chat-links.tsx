import Forum from "@mui/icons-material/ForumOutlined";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ENABLED, effectiveStatus, fullKey, type Token, tokenPage } from "../../../api/api-keys/api-key.ts";
import type { RowAction } from "../../../components/data-table/column.ts";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { gatewayAddress } from "../../../lib/snippets/examples.ts";
import { useSession } from "../../../state/session.ts";
import { useSite } from "../../../state/site-status.ts";

/** Name → link, as the site's status lists them. */
export type ChatLinks = readonly Readonly<Record<string, string>>[];

type ChatTarget = Readonly<{
  href: string;
  /** The page can be shown in a frame; else it opens outside, as an app does. */
  isFramed: boolean;
}>;

/** Schemes that would run or show something in this page. */
const REFUSED = /^(javascript|data|vbscript|blob|file|filesystem|about):$/;

/** Name and link of the chat at this place of the list; null when there is none. */
export function chatAt(links: ChatLinks, place: number): Readonly<{ name: string; link: string }> | null {
  const [pair] = Object.entries(links[place] ?? {});
  return pair ? { name: pair[0], link: pair[1] } : null;
}

/** The first chat that is a web page; null when there is none. */
export const firstWebChat = (links: ChatLinks): number | null => {
  const place = links.findIndex((_, at) => /^https?:/i.test(chatAt(links, at)?.link ?? ""));
  return place < 0 ? null : place;
};

/**
 * Fills the key (with `sk-`) and the gateway's URL into a link; null if the result may not be opened. Browsers frame http pages
 * only in http pages.
 */
export function chatTarget(
  link: string,
  key: string,
  address: string,
  ownProtocol = globalThis.location?.protocol,
): ChatTarget | null {
  const filled = link.trim().replaceAll("{key}", key).replaceAll("{address}", encodeURIComponent(address));
  const url = URL.parse(filled);
  if (!url || REFUSED.test(url.protocol)) return null;
  return {
    href: url.href,
    isFramed: url.protocol === "https:" || (url.protocol === "http:" && ownProtocol === "http:"),
  };
}

/** Sandbox permissions of a framed chat. A same-origin frame could remove its sandbox, so it gets an opaque origin. */
export const sandboxOf = (href: string, ownOrigin: string): string =>
  ["allow-scripts allow-forms allow-popups allow-downloads allow-modals"]
    .concat(URL.parse(href)?.origin === ownOrigin ? [] : ["allow-same-origin"])
    .join(" ");

type State =
  | Readonly<{ kind: "loading" }>
  | Readonly<{ kind: "noKey" }>
  | Readonly<{ kind: "visitor" }>
  | Readonly<{ kind: "noChat" }>
  | Readonly<{ kind: "failed"; error: Error; retry: () => void }>
  | Readonly<{ kind: "ready"; name: string; target: ChatTarget; hasKey: boolean }>;

const MOST_KEYS = 100;

/** The chat at an index of the site's list, with the newest active key filled in where its link has a place for one. */
export function useChatTarget(place: number): State {
  const site = useSite();
  const { user } = useSession();
  const chat = site && chatAt(site.chats ?? [], place);
  const needsKey = chat?.link.includes("{key}") ?? false;
  const tokens = useQuery({
    ...tokenPage({ status: ENABLED, page: 0, pageSize: MOST_KEYS }),
    enabled: needsKey && user !== null,
  });
  if (!site) return { kind: "loading" };
  const readyWith = (key: string): State => {
    const target = chat && chatTarget(chat.link, key, gatewayAddress(site.server_address));
    return chat && target ? { kind: "ready", name: chat.name, target, hasKey: key !== "" } : { kind: "noChat" };
  };
  if (!needsKey) return readyWith("");
  if (!user) return { kind: "visitor" };
  if (tokens.error) return { kind: "failed", error: tokens.error, retry: () => void tokens.refetch() };
  if (!tokens.data) return { kind: "loading" };
  const nowSeconds = Date.now() / 1000;
  const token = tokens.data.items.find((one) => effectiveStatus(one, nowSeconds) === ENABLED);
  return token ? readyWith(fullKey(token)) : { kind: "noKey" };
}

/** Actions of an active key: opens each of the site's chats with this key filled in. */
export function useKeyChats(): (token: Token) => readonly RowAction[] {
  const { t } = useTranslation();
  const site = useSite();
  const links = site?.chats ?? [];
  const start = (link: string, token: Token) => {
    const target = chatTarget(link, fullKey(token), gatewayAddress(site?.server_address));
    if (!target) return notifyError(new Error(t("chat.badLink")));
    // An app's URL opens the app and doesn't navigate away.
    if (/^https?:/.test(target.href)) window.open(target.href, "_blank", "noopener,noreferrer");
    else window.location.assign(target.href);
  };
  return (token) =>
    effectiveStatus(token, Date.now() / 1000) === ENABLED
      ? links.flatMap((_, place) => {
          const chat = chatAt(links, place);
          if (!chat) return [];
          const label = t("chat.openWith", { name: chat.name });
          return [{ label, icon: <Forum />, onSelect: () => start(chat.link, token) }];
        })
      : [];
}
