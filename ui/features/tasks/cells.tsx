import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import CircularProgress from "@mui/material/CircularProgress";
import LinearProgress from "@mui/material/LinearProgress";
import { useTranslation } from "react-i18next";
import { Row } from "../../components/layout.tsx";
import { Money } from "../../components/Money.tsx";
import { TimeAgo } from "../../components/TimeAgo.tsx";
import { percentOf } from "./task.ts";

/** A moment in epoch seconds; a dash for 0. */
export const Moment = ({ seconds }: { seconds: number }) => (seconds > 0 ? <TimeAgo seconds={seconds} /> : "–");

/** Whole seconds that something took, red when that was long; a dash for null. */
export const Elapsed = ({ seconds, isSlow = false }: { seconds: number | null; isSlow?: boolean }) => {
  const { t } = useTranslation();
  return (
    <Box component="span" className="num" sx={isSlow ? { color: "tone.bad.text" } : {}}>
      {seconds === null ? "–" : t("tasks.seconds", { seconds })}
    </Box>
  );
};

/** What a task cost, in quota units; what went back is crossed out. A dash for nothing. */
export const Cost = ({ quota, refunded }: { quota: number; refunded: number }) => {
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

/** How far a task is, as a bar or a circle with its percentage. */
export const Progress = ({ progress, hasFailed, isRound }: ProgressProps) => {
  const { t } = useTranslation();
  const value = percentOf(progress);
  const given = {
    variant: "determinate",
    value,
    color: hasFailed ? "error" : "primary",
    "aria-label": t("tasks.columns.progress"),
  } as const;
  return (
    <Row gap={2}>
      {isRound ? (
        <CircularProgress {...given} size={20} thickness={5} />
      ) : (
        <Box sx={{ flex: 1, minWidth: 48 }}>
          <LinearProgress {...given} />
        </Box>
      )}
      <span className="num">{value}%</span>
    </Row>
  );
};

/** A text that may be longer than its cell: it opens in full. */
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
