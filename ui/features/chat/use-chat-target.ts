import { useQuery } from "@tanstack/react-query";
import { useSite } from "../../site-status.ts";
import { gatewayAddress } from "../home/examples.ts";
import { ENABLED, effectiveStatus, fullKey } from "../tokens/token.ts";
import { tokenPage } from "../tokens/token-queries.ts";
import { type ChatTarget, chatAt, chatTarget } from "./chat-links.ts";

type State =
  | Readonly<{ kind: "loading" }>
  | Readonly<{ kind: "noKey" }>
  | Readonly<{ kind: "noChat" }>
  | Readonly<{ kind: "failed"; error: Error; retry: () => void }>
  | Readonly<{ kind: "ready"; name: string; target: ChatTarget }>;

const MOST_KEYS = 100;

/** The chat at this place of the site's list, with the newest key that works filled in. */
export function useChatTarget(place: number): State {
  const site = useSite();
  const tokens = useQuery(tokenPage({ status: ENABLED, page: 0, pageSize: MOST_KEYS }));
  if (tokens.error) return { kind: "failed", error: tokens.error, retry: () => void tokens.refetch() };
  if (!site || !tokens.data) return { kind: "loading" };
  const nowSeconds = Date.now() / 1000;
  const token = tokens.data.items.find((one) => effectiveStatus(one, nowSeconds) === ENABLED);
  if (!token) return { kind: "noKey" };
  const chat = chatAt(site.chats ?? [], place);
  const target = chat && chatTarget(chat.link, fullKey(token), gatewayAddress(site.server_address));
  return chat && target ? { kind: "ready", name: chat.name, target } : { kind: "noChat" };
}
