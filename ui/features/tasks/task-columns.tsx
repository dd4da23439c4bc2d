import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import CircularProgress from "@mui/material/CircularProgress";
import LinearProgress from "@mui/material/LinearProgress";
import { useTranslation } from "react-i18next";
import { Money } from "../../components/display/Money.tsx";
import type { ToneName } from "../../components/display/StatusChip.tsx";
import { Row } from "../../components/layout.tsx";
import type { ListColumn, Status } from "../../components/page/list/column-kinds.tsx";
import type { ListContext } from "../../components/page/list/list-context.ts";
import { type Opened, TaskDialog } from "./TaskDialog.tsx";
import { type DrawingTask, type MediaTask, percentOf } from "./task.ts";

/** What the lists of tasks know: whether they show those of all users. */
type Data = Readonly<{ forAdmin: boolean }>;

type Task = DrawingTask | MediaTask;
const isShown = ({ data }: Readonly<{ data: Data }>) => data.forAdmin;

/** Columns for administrators. */
export const ADMIN_COLUMNS: readonly ListColumn<Task, Data>[] = [
  { key: "channel", kind: "text", of: "channel_id", width: 80, isShown },
  { key: "user", kind: "text", of: "user_id", width: 70, isShown },
];

export const STATUS_COLUMN: ListColumn<Task, Data> = { key: "status", kind: "status", width: 120, of: statusOf };

export const COST_COLUMN: ListColumn<Task, Data> = {
  key: "cost",
  width: 140,
  cell: ({ quota, refunded }) => <Cost quota={quota} refunded={refunded} />,
};

/** A column of texts; a click shows all of one. */
export const textColumn = <Row,>(
  key: "prompt" | "promptEn" | "reason",
  width: number,
  of: (task: Row) => string,
): ListColumn<Row, Data> => ({
  key,
  width,
  cell: (task, context) => (
    <LongText
      text={of(task)}
      onOpen={() => openTask(context, { title: context.t(`tasks.columns.${key}`), kind: "text", content: of(task) })}
    />
  ),
});

/** Shows a part of a task in full. */
export const openTask = ({ open }: Pick<ListContext<Data>, "open">, opened: Opened): void =>
  open((close) => <TaskDialog opened={opened} onClose={close} />);

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
function statusOf({ status }: Readonly<{ status: string }>): Status {
  if (status === "") return { tone: "info", text: "tasks.submitting" };
  return isKnown(status) ? { tone: TONES[status], text: `tasks.statuses.${status}` } : { tone: "idle", text: status };
}

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
