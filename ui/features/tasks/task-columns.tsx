import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import CircularProgress from "@mui/material/CircularProgress";
import LinearProgress from "@mui/material/LinearProgress";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { Column } from "../../components/data-table/column.ts";
import { Money } from "../../components/display/Money.tsx";
import { StatusChip, type ToneName } from "../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../components/display/TimeAgo.tsx";
import { Row } from "../../components/layout.tsx";
import type { Opened } from "./TaskDialog.tsx";
import { type DrawingTask, type MediaTask, percentOf } from "./task.ts";

/** Columns shared by drawing, music and video tasks; `open` shows the full text of a cell. */
export function commonColumns<Task extends DrawingTask | MediaTask>(
  t: TFunction,
  isAdmin: boolean,
  open: (opened: Opened) => void,
) {
  const ofAdmins: Column<Task>[] = [
    { key: "channel", head: t("tasks.columns.channel"), width: 80, cell: ({ channel_id }) => channel_id },
    { key: "user", head: t("tasks.columns.user"), width: 70, cell: ({ user_id }) => user_id },
  ];
  const status: Column<Task> = {
    key: "status",
    head: t("tasks.columns.status"),
    width: 120,
    isSolid: true,
    cell: (task) => <TaskStatus status={task.status} />,
  };
  const cost: Column<Task> = {
    key: "cost",
    head: t("tasks.columns.cost"),
    width: 140,
    cell: ({ quota, refunded }) => <Cost quota={quota} refunded={refunded} />,
  };
  const text = (key: "prompt" | "promptEn" | "reason", width: number, of: (task: Task) => string): Column<Task> => ({
    key,
    head: t(`tasks.columns.${key}`),
    width,
    cell: (task) => (
      <LongText
        text={of(task)}
        onOpen={() => open({ title: t(`tasks.columns.${key}`), kind: "text", content: of(task) })}
      />
    ),
  });
  return { ofAdmins: isAdmin ? ofAdmins : [], status, cost, text };
}

const TONES = {
  NOT_START: "idle",
  SUBMITTED: "info",
  QUEUED: "info",
  IN_PROGRESS: "info",
  MODAL: "warn",
  SUCCESS: "ok",
  FAILURE: "bad",
  UNKNOWN: "idle",
} as const satisfies Record<string, ToneName>;
type Known = keyof typeof TONES;
const isKnown = (status: string): status is Known => Object.hasOwn(TONES, status);

/** The status of a task; an empty status means that it is being submitted. */
const TaskStatus = ({ status }: { status: string }) => {
  const { t } = useTranslation();
  if (status === "") return <StatusChip tone="info">{t("tasks.submitting")}</StatusChip>;
  if (!isKnown(status)) return <StatusChip tone="idle">{status}</StatusChip>;
  return <StatusChip tone={TONES[status]}>{t(`tasks.statuses.${status}`)}</StatusChip>;
};

/** A moment in epoch seconds; a dash for 0. */
export const Moment = ({ seconds }: { seconds: number }) => (seconds > 0 ? <TimeAgo seconds={seconds} /> : "–");

/** A duration in whole seconds, red if long; a dash for null. */
export const Elapsed = ({ seconds, isSlow = false }: { seconds: number | null; isSlow?: boolean }) => {
  const { t } = useTranslation();
  return (
    <Box component="span" className="num" sx={isSlow ? { color: "tone.bad.text" } : {}}>
      {seconds === null ? "–" : t("tasks.seconds", { seconds })}
    </Box>
  );
};

/** The cost of a task in quota units; struck through if refunded. A dash for zero. */
const Cost = ({ quota, refunded }: { quota: number; refunded: number }) => {
  const { t } = useTranslation();
  if (quota === 0 && refunded === 0) return "–";
  if (refunded === 0) return <Money quota={quota} decimals={4} />;
  return (
    <Row gap={1}>
      <Box component="s" sx={{ color: "text.tertiary" }}>
        <Money quota={refunded} decimals={4} />
      </Box>
      {t("tasks.refunded")}
    </Row>
  );
};

type ProgressProps = { progress: string; hasFailed: boolean; isRound?: boolean };

/** The progress of a task, as a bar or a circle with its percentage. */
export const Progress = ({ progress, hasFailed, isRound }: ProgressProps) => {
  const { t } = useTranslation();
  const value = percentOf(progress);
  const progressProps = {
    variant: "determinate",
    value,
    color: hasFailed ? "error" : "primary",
    "aria-label": t("tasks.columns.progress"),
  } as const;
  return (
    <Row gap={2}>
      {isRound ? (
        <CircularProgress {...progressProps} size={20} thickness={5} />
      ) : (
        <Box sx={{ flex: 1, minWidth: 48 }}>
          <LinearProgress {...progressProps} />
        </Box>
      )}
      <span className="num">{value}%</span>
    </Row>
  );
};

/** A text that may be longer than its cell; a click shows all of it. */
export const LongText = ({ text, onOpen }: { text: string; onOpen: () => void }) =>
  text === "" ? (
    "–"
  ) : (
    <ButtonBase
      onClick={(event) => {
        event.stopPropagation();
        onOpen();
      }}
      sx={{
        display: "block",
        maxWidth: "100%",
        overflow: "hidden",
        textOverflow: "ellipsis",
        whiteSpace: "nowrap",
        textAlign: "left",
        fontSize: "inherit",
        "&:hover": { textDecoration: "underline" },
      }}
    >
      {text}
    </ButtonBase>
  );
