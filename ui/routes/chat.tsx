import Forum from "@mui/icons-material/ForumOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../components/EmptyState.tsx";
import { ErrorState } from "../components/ErrorState.tsx";
import { sandboxOf } from "../features/chat/chat-links.ts";
import { NoKey } from "../features/chat/NoKey.tsx";
import { useChatTarget } from "../features/chat/use-chat-target.ts";

/** One of the site's chats with a key filled in: in a frame, or opened as the app it is. */
export const ChatPage = () => {
  const { t } = useTranslation();
  const { id } = useParams({ strict: false });
  const chat = useChatTarget(Number(id ?? 0));
  if (chat.kind === "failed") return <ErrorState error={chat.error} onRetry={chat.retry} />;
  if (chat.kind === "noKey") return <NoKey />;
  if (chat.kind === "noChat")
    return <EmptyState isPage icon={<Forum />} title={t("chat.none.title")} body={t("chat.none.body")} />;
  if (chat.kind === "loading")
    return (
      <Box sx={{ display: "grid", placeItems: "center", py: 12 }}>
        <CircularProgress aria-label={t("chat.loading")} />
      </Box>
    );
  const { name, target } = chat;
  if (!target.isFramed)
    return (
      <EmptyState
        isPage
        icon={<Forum />}
        title={name}
        body={t("chat.app.body")}
        action={
          <Button
            component="a"
            href={target.href}
            target="_blank"
            rel="noopener noreferrer"
            variant="contained"
            color="primary"
          >
            {t("chat.app.open", { name })}
          </Button>
        }
      />
    );
  return (
    <Box
      component="iframe"
      src={target.href}
      title={name}
      sandbox={sandboxOf(target.href, window.location.origin)}
      allow="clipboard-write; microphone"
      referrerPolicy="no-referrer"
      sx={{ display: "block", width: "100%", height: "calc(100dvh - 56px)", border: 0 }}
    />
  );
};
