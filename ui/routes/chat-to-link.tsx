import Forum from "@mui/icons-material/ForumOutlined";
import Box from "@mui/material/Box";
import CircularProgress from "@mui/material/CircularProgress";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../components/EmptyState.tsx";
import { ErrorState } from "../components/ErrorState.tsx";
import { useAddress } from "../components/useAddress.ts";
import { firstWebChat } from "../features/chat/chat-links.ts";
import { NoKey } from "../features/chat/NoKey.tsx";
import { useChatTarget } from "../features/chat/use-chat-target.ts";
import { useSite } from "../site-status.ts";

/** Goes to a chat of another site with key and address filled in: the one that `?id=` names, else the first web page. */
export const ChatToLinkPage = () => {
  const { t } = useTranslation();
  const site = useSite();
  const place = useAddress().number("id") ?? firstWebChat(site?.chats ?? []) ?? -1;
  const chat = useChatTarget(place);
  const href = chat.kind === "ready" ? chat.target.href : null;
  useEffect(() => {
    if (href) window.location.replace(href);
  }, [href]);
  if (chat.kind === "failed") return <ErrorState error={chat.error} onRetry={chat.retry} />;
  if (chat.kind === "noKey") return <NoKey />;
  if (chat.kind === "noChat")
    return <EmptyState isPage icon={<Forum />} title={t("chat.none.title")} body={t("chat.none.body")} />;
  return (
    <Box sx={{ display: "grid", placeItems: "center", py: 12 }}>
      <CircularProgress aria-label={t("chat.loading")} />
    </Box>
  );
};
