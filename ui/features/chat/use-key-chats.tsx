import Forum from "@mui/icons-material/ForumOutlined";
import { useTranslation } from "react-i18next";
import type { RowAction } from "../../components/data-table/column.ts";
import { notifyError } from "../../components/notify.tsx";
import { useSite } from "../../site-status.ts";
import { gatewayAddress } from "../home/examples.ts";
import { ENABLED, effectiveStatus, fullKey, type Token } from "../tokens/token.ts";
import { chatAt, chatTarget } from "./chat-links.ts";

/** For a key that works: opens each of the site's chats with that very key filled in. */
export function useKeyChats(): (token: Token) => readonly RowAction[] {
  const { t } = useTranslation();
  const site = useSite();
  const links = site?.chats ?? [];
  const start = (link: string, token: Token) => {
    const target = chatTarget(link, fullKey(token), gatewayAddress(site?.server_address));
    if (!target) return notifyError(new Error(t("chat.badLink")));
    // An app's address opens the app and leaves this page where it is.
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
