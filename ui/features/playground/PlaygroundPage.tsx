import Add from "@mui/icons-material/AddOutlined";
import ArrowDownward from "@mui/icons-material/ArrowDownwardOutlined";
import Forum from "@mui/icons-material/ForumOutlined";
import History from "@mui/icons-material/HistoryOutlined";
import Tune from "@mui/icons-material/TuneOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import OutlinedInput from "@mui/material/OutlinedInput";
import Skeleton from "@mui/material/Skeleton";
import useMediaQuery from "@mui/material/useMediaQuery";
import { useQuery } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { usableModels } from "../../api/api-keys/api-key.ts";
import { defaultModel } from "../../api/models/default-model.ts";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { notifyError } from "../../components/feedback/notify.tsx";
import { Col, PageHeader, Row } from "../../components/layout.tsx";
import { NoModels } from "../../components/page/NoModels.tsx";
import { Tip } from "../../components/tip/Tip.tsx";
import { useAddress } from "../../components/use-address.ts";
import { useSession } from "../../state/session.ts";
import { size } from "../../theme/theme.ts";
import { IS_TOUCH } from "../../theme/touch.ts";
import { TurnView } from "./answer/TurnView.tsx";
import { chatToOpenAtom, MOST_LANES } from "./chat/chat.ts";
import { bodyOf } from "./chat/chat-body.ts";
import { Composer } from "./compose/Composer.tsx";
import { CostHint } from "./compose/CostHint.tsx";
import { HistoryDialog } from "./history/HistoryDialog.tsx";
import { type Playground, usePlayground } from "./history/use-playground.ts";
import { CodeDialog } from "./panel/CodeDialog.tsx";
import { LaneHeaders } from "./panel/LaneHeaders.tsx";
import { useLaneModels } from "./panel/model-facts.ts";
import { SettingsPanel } from "./panel/SettingsPanel.tsx";
import { useFollow } from "./use-follow.ts";

/** The heights of the console's header, the page's and the footer: the composer stands at the bottom of the window. */
const AROUND_CHAT_PX = 222;
/** Below the theme's "md" the settings stand above the chat. */
const STACKED = "(max-width: 899px)";

/** The playground: chats with one model, or up to four side by side, charged like any call. */
export const PlaygroundPage = () => {
  const { t } = useTranslation();
  const { user } = useSession();
  const playground = usePlayground(user?.id ?? 0);
  const hasExpired = useAddress().text("expired") !== "";
  useEffect(() => {
    if (hasExpired) notifyError(new Error(t("playground.expired")));
  }, [hasExpired, t]);
  if (playground) return <OpenChat playground={playground} userId={user?.id ?? 0} />;
  return (
    <>
      <PageHeader title={t("playground.title")} purpose={t("playground.purpose")} />
      <Skeleton variant="rounded" height={320} />
    </>
  );
};

const OpenChat = ({ playground, userId }: { playground: Playground; userId: number }) => {
  const { t } = useTranslation();
  const { chat, isRunning } = playground;
  const { settings, turns } = chat;
  const [editedId, setEditedId] = useState<string | null>(null);
  const [opened, setOpened] = useState<"code" | "history" | null>(null);
  const { isAtEnd, follow } = useFollow(turns);
  const { data: offered } = useQuery(usableModels);
  const isWithoutModels = offered?.length === 0 && turns.length === 0;
  useChatToOpen(playground);
  useOfferedModel(playground, offered);
  const edited = turns.find(({ id }) => id === editedId);
  // An edited question is asked again in its place.
  const before = edited ? turns.slice(0, turns.indexOf(edited)) : turns;
  const next = defaultModel((offered ?? []).filter((name) => !settings.models.includes(name)));
  const setModels = (models: readonly string[]) => playground.setSettings({ models });
  return (
    <>
      <PageHeader
        title={t("playground.title")}
        purpose={t("playground.purpose")}
        actions={
          <Row gap={2} wrap>
            <Button disabled={turns.length === 0} onClick={() => setOpened("code")}>
              {t("playground.asCode")}
            </Button>
            <Button disabled={turns.length === 0} onClick={playground.clear}>
              {t("playground.clear")}
            </Button>
          </Row>
        }
      />
      <Box
        sx={{
          display: "flex",
          flexDirection: { xs: "column", md: "row" },
          gap: { xs: 3, md: 6 },
          alignItems: "flex-start",
        }}
      >
        <ChatSettingsColumn playground={playground} onHistory={() => setOpened("history")} />
        <Col
          gap={0}
          sx={{
            flex: 1,
            minWidth: 0,
            width: "100%",
            minHeight: { xs: "calc(100dvh - 270px)", md: `calc(100dvh - ${AROUND_CHAT_PX}px)` },
            // What stands above it is larger there.
            [`@media ${IS_TOUCH} and ${STACKED}`]: { minHeight: "calc(100dvh - 312px)" },
          }}
        >
          {!isWithoutModels && <LaneHeaders models={settings.models} offered={offered ?? []} onChange={setModels} />}
          {isWithoutModels ? (
            <NoModels />
          ) : (
            turns.length === 0 && (
              <Box sx={{ my: "auto" }}>
                <EmptyState
                  icon={<Forum />}
                  title={t("playground.empty.title")}
                  body={t(`playground.empty.${playground.store.place}`)}
                />
              </Box>
            )
          )}
          {turns.map((turn, index) => (
            <TurnView
              key={turn.id}
              turn={turn}
              isBusy={isRunning}
              isLast={index === turns.length - 1}
              models={settings.models}
              onEdit={() => setEditedId(turn.id)}
              onBranch={() => playground.branch(turn.id)}
              onRetry={(lane) => playground.retry(turn, lane)}
              onResults={(lane, results) => playground.answerCalls(turn, lane, results)}
            />
          ))}
          {!isWithoutModels && (
            <Box sx={{ mt: "auto", position: "sticky", bottom: 0, py: 2, bgcolor: "surface.paper", zIndex: 1 }}>
              {!isAtEnd && <ToEnd onClick={follow} />}
              <Composer
                key={`${chat.id} ${edited?.id ?? ""}`}
                text={edited?.text ?? ""}
                attachments={edited?.attachments ?? []}
                isEditing={edited !== undefined}
                isRunning={isRunning}
                hint={(text, attachments) => (
                  <CostHint settings={settings} turns={[...before, { id: "", text, attachments, answers: [] }]} />
                )}
                onSend={(text, attachments) => {
                  playground.ask(text, attachments, edited?.id ?? null);
                  setEditedId(null);
                  follow();
                }}
                onStop={playground.stop}
                onCancel={() => setEditedId(null)}
                onEditLast={turns.length > 0 && !edited ? () => setEditedId(turns.at(-1)?.id ?? null) : null}
                tools={
                  settings.models.length < MOST_LANES &&
                  next !== undefined && (
                    <Button
                      startIcon={<Add />}
                      disabled={isRunning}
                      onClick={() => setModels([...settings.models, next])}
                    >
                      {t("playground.addModel")}
                    </Button>
                  )
                }
              />
            </Box>
          )}
        </Col>
      </Box>
      {opened === "code" && <CodeDialog body={bodyOf(settings, turns, 0)} onClose={() => setOpened(null)} />}
      {opened === "history" && (
        <HistoryDialog playground={playground} userId={userId} onClose={() => setOpened(null)} />
      )}
    </>
  );
};

const ToEnd = ({ onClick }: { onClick: () => void }) => {
  const { t } = useTranslation();
  return (
    <Tip title={t("playground.toEnd")}>
      <IconButton
        aria-label={t("playground.toEnd")}
        onClick={onClick}
        sx={{
          ...{ position: "absolute", top: -36, left: "50%", transform: "translateX(-50%)" },
          ...{ bgcolor: "surface.raised", border: "1px solid", borderColor: "line.strong" },
          "&:hover": { bgcolor: "surface.hover" },
        }}
      >
        <ArrowDownward />
      </IconButton>
    </Tip>
  );
};

/** Name of the chat, history, and what is set for it; folded where it stands above the chat. */
const ChatSettingsColumn = ({ playground, onHistory }: { playground: Playground; onHistory: () => void }) => {
  const { t } = useTranslation();
  const { chat } = playground;
  const isFolded = useMediaQuery(STACKED, { noSsr: true });
  const [isOpen, setOpen] = useState(false);
  const models = useLaneModels(chat.settings.models, chat.settings.group);
  return (
    <Box
      component="aside"
      aria-label={t("playground.settings")}
      sx={{
        ...{ width: { xs: "100%", md: 260 }, flex: "none" },
        // Stays in view next to a long chat, with a scroll bar of its own.
        ...{ position: { md: "sticky" }, top: size.header, pt: { md: 2 }, pb: { md: 4 }, pr: { md: 1 } },
        ...{ maxHeight: { md: `calc(100dvh - ${AROUND_CHAT_PX}px)` }, overflowY: { md: "auto" } },
      }}
    >
      <Row gap={1} sx={{ mb: isFolded && !isOpen ? 0 : 4 }}>
        <OutlinedInput
          fullWidth
          value={chat.title}
          placeholder={t("playground.untitled")}
          onChange={(event) => playground.rename(event.target.value)}
          inputProps={{ "aria-label": t("playground.name"), maxLength: 200 }}
        />
        <Tip title={t("playground.history.title")}>
          <IconButton aria-label={t("playground.history.title")} onClick={onHistory}>
            <History />
          </IconButton>
        </Tip>
        <Tip title={t("playground.newChat")}>
          <IconButton aria-label={t("playground.newChat")} onClick={playground.add}>
            <Add />
          </IconButton>
        </Tip>
        {isFolded && (
          <IconButton aria-label={t("playground.settings")} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Tune />
          </IconButton>
        )}
      </Row>
      {(!isFolded || isOpen) && (
        <SettingsPanel settings={chat.settings} models={models} onChange={playground.setSettings} />
      )}
    </Box>
  );
};

/** Opens the chat that another page prepared. */
function useChatToOpen({ begin }: Playground): void {
  const [chat, setChat] = useAtom(chatToOpenAtom);
  useEffect(() => {
    if (!chat) return;
    setChat(null);
    begin(chat);
  }, [chat, setChat, begin]);
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
