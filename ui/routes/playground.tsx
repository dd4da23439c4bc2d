import Forum from "@mui/icons-material/ForumOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../components/EmptyState.tsx";
import { Row } from "../components/layout.tsx";
import { notifyError } from "../components/notify.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { useAddress } from "../components/useAddress.ts";
import { ChatList } from "../features/playground/ChatList.tsx";
import { CodeDialog } from "../features/playground/CodeDialog.tsx";
import { Composer } from "../features/playground/Composer.tsx";
import { bodyOf } from "../features/playground/chat.ts";
import { SettingsPanel } from "../features/playground/SettingsPanel.tsx";
import { TurnView } from "../features/playground/TurnView.tsx";
import { usePlayground } from "../features/playground/use-playground.ts";
import { useSession } from "../features/session/session.tsx";

/** Chats with one model, or two side by side, charged like any call. */
export const PlaygroundPage = () => {
  const { t } = useTranslation();
  const { user } = useSession();
  const playground = usePlayground(user?.id ?? 0);
  const { chat, isRunning } = playground;
  const [editedId, setEditedId] = useState<string | null>(null);
  const [isCodeShown, setCodeShown] = useState(false);
  const hasExpired = useAddress().text("expired") !== "";
  useEffect(() => {
    if (hasExpired) notifyError(new Error(t("playground.expired")));
  }, [hasExpired, t]);
  const edited = chat.turns.find(({ id }) => id === editedId);
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
          <Box sx={{ mb: 4 }}>
            <ChatList playground={playground} />
          </Box>
          <SettingsPanel settings={chat.settings} onChange={playground.setSettings} />
        </Box>
        <Box sx={{ flex: 1, minWidth: 0, width: "100%" }}>
          {chat.turns.length === 0 && (
            <EmptyState icon={<Forum />} title={t("playground.empty.title")} body={t("playground.empty.body")} />
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
          <Composer
            key={`${chat.id} ${edited?.id ?? ""}`}
            text={edited?.text ?? ""}
            images={edited?.images ?? []}
            isEditing={edited !== undefined}
            isRunning={isRunning}
            onSend={(text, images) => {
              playground.ask(text, images, edited?.id ?? null);
              setEditedId(null);
            }}
            onStop={playground.stop}
            onCancel={() => setEditedId(null)}
          />
        </Box>
      </Box>
      {isCodeShown && <CodeDialog body={bodyOf(chat.settings, chat.turns, 0)} onClose={() => setCodeShown(false)} />}
    </>
  );
};
