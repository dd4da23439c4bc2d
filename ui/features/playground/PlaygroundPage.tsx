import Add from "@mui/icons-material/AddOutlined";
import ArrowDownward from "@mui/icons-material/ArrowDownwardOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Forum from "@mui/icons-material/ForumOutlined";
import Tune from "@mui/icons-material/TuneOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQuery } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { usableModels } from "../../api/api-keys/api-key.ts";
import { defaultModel } from "../../api/models/default-model.ts";
import { useConfirm } from "../../components/feedback/confirm.tsx";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { notifyError } from "../../components/feedback/notify.tsx";
import { Col, PageHeader, Row, usePhone } from "../../components/layout.tsx";
import { NoModels } from "../../components/page/NoModels.tsx";
import { Tip } from "../../components/tip/Tip.tsx";
import { useAddress } from "../../components/use-address.ts";
import { useSession } from "../../state/session.ts";
import { CodeDialog } from "./CodeDialog.tsx";
import { Composer } from "./Composer.tsx";
import { CostHint } from "./CostHint.tsx";
import { bodyOf, chatToOpenAtom } from "./chat/chat.ts";
import { SettingsPanel } from "./SettingsPanel.tsx";
import { TurnView } from "./TurnView.tsx";
import { useFollow } from "./use-follow.ts";
import { type Playground, usePlayground } from "./use-playground.ts";

/** The heights of the console's header, the page's and the footer: the composer stands at the bottom of the window. */
const AROUND_CHAT_PX = 222;

/** The playground: chats with one model, or two side by side, charged like any call. */
export const PlaygroundPage = () => {
  const { t } = useTranslation();
  const { user } = useSession();
  const playground = usePlayground(user?.id ?? 0);
  const { chat, isRunning } = playground;
  const [editedId, setEditedId] = useState<string | null>(null);
  const [isCodeShown, setCodeShown] = useState(false);
  const isPhone = usePhone();
  const [isSettingsOpen, setSettingsOpen] = useState(false);
  const isFolded = isPhone && !isSettingsOpen;
  const { isAtEnd, follow } = useFollow(chat);
  const hasExpired = useAddress().text("expired") !== "";
  useEffect(() => {
    if (hasExpired) notifyError(new Error(t("playground.expired")));
  }, [hasExpired, t]);
  const { data: offered } = useQuery(usableModels);
  const isWithoutModels = offered?.length === 0 && chat.turns.length === 0;
  useChatToOpen(playground);
  useOfferedModel(playground, offered);
  const edited = chat.turns.find(({ id }) => id === editedId);
  // An edited question is asked again in its place.
  const before = edited ? chat.turns.slice(0, chat.turns.indexOf(edited)) : chat.turns;
  return (
    <>
      <PageHeader
        title={t("playground.title")}
        purpose={t("playground.purpose")}
        actions={
          <Row gap={2} wrap>
            <Button disabled={chat.turns.length === 0} onClick={() => setCodeShown(true)}>
              {t("playground.asCode")}
            </Button>
            <Button disabled={chat.turns.length === 0} onClick={playground.clear}>
              {t("playground.clear")}
            </Button>
          </Row>
        }
      />
      <Box sx={{ display: "flex", flexDirection: { xs: "column", md: "row" }, gap: 6, alignItems: "flex-start" }}>
        <Box
          component="aside"
          aria-label={t("playground.settings")}
          sx={{ width: { xs: "100%", md: 260 }, flex: "none" }}
        >
          <Row gap={1} sx={{ mb: isFolded ? 2 : 4 }}>
            <ChatList playground={playground} />
            {isPhone && (
              <IconButton
                aria-label={t("playground.settings")}
                aria-expanded={!isFolded}
                onClick={() => setSettingsOpen(isFolded)}
              >
                <Tune />
              </IconButton>
            )}
          </Row>
          {isFolded ? (
            <Box sx={{ fontSize: 12.5, color: "text.secondary" }}>{chat.settings.models.join(" · ")}</Box>
          ) : (
            <SettingsPanel settings={chat.settings} onChange={playground.setSettings} />
          )}
        </Box>
        <Col
          gap={0}
          sx={{
            flex: 1,
            minWidth: 0,
            width: "100%",
            minHeight: { md: `calc(100dvh - ${AROUND_CHAT_PX}px)` },
          }}
        >
          {isWithoutModels ? (
            <NoModels />
          ) : (
            chat.turns.length === 0 && (
              <Box sx={{ my: "auto" }}>
                <EmptyState icon={<Forum />} title={t("playground.empty.title")} body={t("playground.empty.body")} />
              </Box>
            )
          )}
          {chat.turns.map((turn) => (
            <TurnView
              key={turn.id}
              turn={turn}
              isBusy={isRunning}
              onEdit={() => setEditedId(turn.id)}
              onBranch={() => playground.branch(turn.id)}
              onRetry={(lane) => playground.retry(turn, lane)}
            />
          ))}
          {!isWithoutModels && (
            <Box
              sx={{
                mt: "auto",
                position: "sticky",
                bottom: 0,
                py: 2,
                bgcolor: "surface.paper",
                zIndex: 1,
              }}
            >
              {!isAtEnd && (
                <Tip title={t("playground.toEnd")}>
                  <IconButton
                    aria-label={t("playground.toEnd")}
                    onClick={follow}
                    sx={{
                      position: "absolute",
                      top: -36,
                      left: "50%",
                      transform: "translateX(-50%)",
                      bgcolor: "surface.raised",
                      border: "1px solid",
                      borderColor: "line.strong",
                      "&:hover": { bgcolor: "surface.hover" },
                    }}
                  >
                    <ArrowDownward />
                  </IconButton>
                </Tip>
              )}
              <Composer
                key={`${chat.id} ${edited?.id ?? ""}`}
                text={edited?.text ?? ""}
                images={edited?.images ?? []}
                isEditing={edited !== undefined}
                isRunning={isRunning}
                hint={(text, images) => (
                  <CostHint settings={chat.settings} turns={[...before, { id: "", text, images, answers: [] }]} />
                )}
                onSend={(text, images) => {
                  playground.ask(text, images, edited?.id ?? null);
                  setEditedId(null);
                  follow();
                }}
                onStop={playground.stop}
                onCancel={() => setEditedId(null)}
              />
            </Box>
          )}
        </Col>
      </Box>
      {isCodeShown && <CodeDialog body={bodyOf(chat.settings, chat.turns, 0)} onClose={() => setCodeShown(false)} />}
    </>
  );
};

/** Opens the chat that another page prepared. */
function useChatToOpen({ open }: Playground): void {
  const [chat, setChat] = useAtom(chatToOpenAtom);
  useEffect(() => {
    if (!chat) return;
    setChat(null);
    open(chat);
  }, [chat, setChat, open]);
}

/** Replaces the models of a chat that is opened by an offered one, or none, if none of them is offered. */
function useOfferedModel({ chat, setSettings }: Playground, offered: readonly string[] | undefined): void {
  const opened = useRef("");
  useEffect(() => {
    if (!offered || opened.current === chat.id) return;
    const model = defaultModel(offered);
    // Models may still come: the list of a moment ago is shown while it is fetched again.
    if (model !== undefined) opened.current = chat.id;
    const { models } = chat.settings;
    const next = model === undefined ? [] : [model];
    const isOffered = models.some((name) => offered.includes(name));
    if (!isOffered && models.length + next.length > 0) setSettings({ models: next });
  }, [offered, chat, setSettings]);
}

/** The chats stored on this device: open, create, delete. */
const ChatList = ({ playground }: { playground: Playground }) => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const { chats, chat } = playground;
  const remove = async () => {
    const question = {
      title: t("playground.delete.title"),
      body: t("playground.delete.body"),
      action: t("playground.delete.action"),
      isDangerous: true,
    };
    if (chat.turns.length === 0 || (await confirm(question))) playground.remove(chat.id);
  };
  return (
    <Row gap={1} sx={{ flex: 1 }}>
      <Select
        fullWidth
        value={chat.id}
        onChange={(event) => playground.choose(event.target.value)}
        SelectDisplayProps={{ "aria-label": t("playground.chats") }}
        sx={{ minWidth: 0 }}
      >
        {chats.map(({ id, title }) => (
          <MenuItem key={id} value={id}>
            {title || t("playground.untitled")}
          </MenuItem>
        ))}
      </Select>
      <Tip title={t("playground.newChat")}>
        <IconButton aria-label={t("playground.newChat")} onClick={playground.add}>
          <Add />
        </IconButton>
      </Tip>
      <Tip title={t("playground.delete.action")}>
        <IconButton aria-label={t("playground.delete.action")} onClick={remove}>
          <Delete />
        </IconButton>
      </Tip>
    </Row>
  );
};
