import Skeleton from "@mui/material/Skeleton";
import { useQueries } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ViewDialog } from "../../../../components/feedback/FormDialog.tsx";
import { SettingLink } from "../../../../components/feedback/SettingLink.tsx";
import { Row } from "../../../../components/layout.tsx";
import { AnswerPair, type AnswerSide } from "../../../../components/page/answers/AnswerPair.tsx";
import { type LogEntry, otherOf } from "../../entries/log-entry.ts";
import { requestRows } from "../../entries/log-queries.ts";
import type { SessionCall, SessionScope } from "../session-calls.ts";

type Side = Readonly<{ title: string; call: SessionCall }>;
type Props = Readonly<{ scope: SessionScope; sides: readonly [Side, Side]; onClose: () => void }>;

/** The answers of two calls, with the words marked in which they differ. */
export const AnswersDialog = ({ scope, sides, onClose }: Props) => {
  const { t } = useTranslation();
  const [one, other] = useQueries({ queries: sides.map(({ call }) => requestRows(scope, call.request_id)) });
  const texts = [one, other].map((query) => textOf(query?.data?.items[0]));
  const isLogged = texts.some((text) => text !== "");
  const sideOf = (at: 0 | 1): AnswerSide => {
    const { title, call } = sides[at];
    const { model, quota: cost, elapsed_ms: latency_ms, prompt_tokens, completion_tokens } = call;
    return { title, model, cost, latency_ms, prompt_tokens, completion_tokens, text: texts[at] ?? "" };
  };
  return (
    <ViewDialog title={t("sessions.pairs.answers")} width="lg" onClose={onClose}>
      {one?.isPending || other?.isPending ? (
        <Skeleton variant="rounded" height={160} />
      ) : isLogged ? (
        <AnswerPair before={sideOf(0)} after={sideOf(1)} />
      ) : (
        <Row gap={2} wrap sx={{ color: "text.secondary" }}>
          {t("sessions.timeline.notLogged")}
          <SettingLink tab="operation" field="LogChatContentEnabled" />
        </Row>
      )}
    </ViewDialog>
  );
};

const textOf = (entry: LogEntry | undefined): string => (entry ? (otherOf(entry).output_content ?? "") : "");
