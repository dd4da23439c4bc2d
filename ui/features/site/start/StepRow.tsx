import Check from "@mui/icons-material/Check";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { Row } from "../../../components/layout.tsx";

type StepRowProps = Readonly<{
  number: number;
  title: string;
  /** What to do, or what was done. */
  text: string;
  isDone: boolean;
  isOpen: boolean;
  /** Undefined: this step can't be opened yet. */
  onOpen: (() => void) | undefined;
  /** The step's form, shown while it is open. */
  children: ReactNode;
}>;

/** A step of a list: its tick, what it is for and, while it is open, its form. */
export const StepRow = ({ number, title, text, isDone, isOpen, onOpen, children }: StepRowProps) => {
  const { t } = useTranslation();
  const id = useId();
  const isExpanded = isOpen && Boolean(children);
  const head = (
    <>
      <Mark number={number} isDone={isDone} isCurrent={isOpen} label={t(isDone ? "start.isDone" : "start.isOpen")} />
      <Box sx={{ flex: 1, minWidth: 0, textAlign: "left" }}>
        <Box sx={{ fontSize: 14, fontWeight: isOpen ? 620 : 520, color: isDone ? "text.secondary" : "text.primary" }}>
          {title}
        </Box>
        <Box sx={{ fontSize: 12.5, lineHeight: "18px", color: "text.tertiary", overflowWrap: "anywhere" }}>{text}</Box>
      </Box>
    </>
  );
  return (
    <Box
      component="section"
      aria-label={title}
      sx={{
        bgcolor: isOpen ? "surface.paper" : "surface.sunken",
        "& + &": { borderTop: "1px solid", borderColor: "line.main" },
      }}
    >
      {isExpanded || !onOpen ? (
        <Row gap={3} sx={{ px: { xs: 3, sm: 4 }, py: 3 }}>
          {head}
        </Row>
      ) : (
        <ButtonBase
          onClick={onOpen}
          aria-expanded={false}
          aria-controls={id}
          sx={{ width: "100%", gap: 3, px: { xs: 3, sm: 4 }, py: 3, "&:hover": { bgcolor: "surface.hover" } }}
        >
          {head}
        </ButtonBase>
      )}
      <Box id={id} hidden={!isExpanded} sx={{ pl: { xs: 3, sm: 14 }, pr: { xs: 3, sm: 4 }, pb: 4 }}>
        {isExpanded && children}
      </Box>
    </Box>
  );
};

type MarkProps = Readonly<{ number: number; isDone: boolean; isCurrent: boolean; label: string }>;

const Mark = ({ number, isDone, isCurrent, label }: MarkProps) => (
  <Box
    role="img"
    aria-label={label}
    sx={{
      width: 28,
      height: 28,
      flex: "none",
      display: "grid",
      placeItems: "center",
      borderRadius: "50%",
      border: "1px solid",
      borderColor: isDone ? "tone.ok.line" : isCurrent ? "primary.main" : "line.strong",
      bgcolor: isDone ? "tone.ok.tint" : "transparent",
      color: isDone ? "tone.ok.text" : isCurrent ? "primary.main" : "text.tertiary",
      fontSize: 13,
      fontWeight: 600,
      "& svg": { fontSize: 17 },
    }}
  >
    {isDone ? <Check /> : number}
  </Box>
);
