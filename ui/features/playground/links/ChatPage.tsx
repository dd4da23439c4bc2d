import Forum from "@mui/icons-material/ForumOutlined";
import Key from "@mui/icons-material/KeyOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import { useNavigate, useParams, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { useSite } from "../../../state/site-status.ts";
import { firstWebChat, sandboxOf, useChatTarget } from "./chat-links.tsx";

/** One of the site's chats with a key filled in: in a frame, or opened as the app it is. */
export const ChatPage = () => {
  const { t } = useTranslation();
  const { id } = useParams({ strict: false });
  const chat = useChatTarget(Number(id ?? 0));
  if (chat.kind === "failed") return <ErrorState error={chat.error} onRetry={chat.retry} />;
  if (chat.kind === "visitor") return <SignInFirst />;
  if (chat.kind === "noKey") return <NoKey />;
  if (chat.kind === "noChat") return <NoChat />;
  if (chat.kind === "loading")
    return (
      <Box sx={{ display: "grid", placeItems: "center", py: 12 }}>
        <CircularProgress aria-label={t("chat.loading")} />
      </Box>
    );
  const { name, target, hasKey } = chat;
  if (!target.isFramed)
    return (
      <EmptyState
        isPage
        icon={<Forum />}
        title={name}
        body={t(hasKey ? "chat.app.body" : "chat.app.plainBody")}
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

/** Redirects to a chat site with key and base URL filled in: the one named by `?id=`, else the first web page. */
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
  if (chat.kind === "visitor") return <SignInFirst />;
  if (chat.kind === "noKey") return <NoKey />;
  if (chat.kind === "noChat") return <NoChat />;
  return (
    <Box sx={{ display: "grid", placeItems: "center", py: 12 }}>
      <CircularProgress aria-label={t("chat.loading")} />
    </Box>
  );
};

/** A visitor signs in and comes back: this chat is opened with a key of theirs. */
const SignInFirst = () => {
  const navigate = useNavigate();
  const { state } = useRouter();
  const [returnTo] = useState(state.location.href);
  useEffect(() => void navigate({ to: "/login", search: { returnTo }, replace: true }), [navigate, returnTo]);
  return null;
};

const LEAVE_MS = 1500;

/** Says that there is no usable key, and links to the page that creates one. */
const NoKey = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => void navigate({ to: "/token", search: {}, replace: true }), LEAVE_MS);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <Box role="alert">
      <EmptyState isPage icon={<Key />} title={t("chat.noKey.title")} body={t("chat.noKey.body")} />
    </Box>
  );
};

/** No chat link has this place. */
const NoChat = () => {
  const { t } = useTranslation();
  return (
    <EmptyState
      isPage
      icon={<Forum />}
      title={t("chat.none.title")}
      body={t("chat.none.body")}
      action={<SettingLink tab="operation" field="chats" />}
    />
  );
};
