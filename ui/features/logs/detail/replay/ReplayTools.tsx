import Forum from "@mui/icons-material/ForumOutlined";
import Replay from "@mui/icons-material/ReplayOutlined";
import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import { useSetAtom } from "jotai";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../../components/display/CopyButton.tsx";
import { gatewayAddress } from "../../../../lib/snippets/examples.ts";
import { useSite } from "../../../../state/site-status.ts";
import { chatToOpenAtom } from "../../../playground/chat/chat.ts";
import { chatCall, codeOf } from "../../../playground/chat/code.ts";
import type { LogEntry } from "../../entries/log-entry.ts";
import { chatOfCall, loggedChat, replayedBody } from "./logged-chat.ts";
import { CallReplayDialog } from "./ReplayDialog.tsx";

/** Repeats a chat whose content is logged: in the playground, on another model, or from a terminal. */
export const ReplayTools = ({ entry }: { entry: LogEntry }) => {
  const { t } = useTranslation();
  const site = useSite();
  const openChat = useSetAtom(chatToOpenAtom);
  const [isChoosing, setChoosing] = useState(false);
  const chat = loggedChat(entry);
  if (!chat) return null;
  const curl = () =>
    codeOf("curl", "openai-chat", chatCall(replayedBody(entry, chat)), gatewayAddress(site?.server_address));
  return (
    <>
      <Button
        component={Link}
        to="/playground"
        size="small"
        variant="text"
        startIcon={<Forum />}
        onClick={() => void chatOfCall(entry, chat).then(openChat)}
      >
        {t("logs.share.playground")}
      </Button>
      <Button size="small" variant="text" startIcon={<Replay />} onClick={() => setChoosing(true)}>
        {t("logs.replay.action")}
      </Button>
      <CopyButton text={curl} words={t("logs.share.curl")} />
      {isChoosing && <CallReplayDialog entry={entry} chat={chat} onClose={() => setChoosing(false)} />}
    </>
  );
};
