import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Paper from "@mui/material/Paper";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Row } from "../layout.tsx";

type SelectionAction = Readonly<{ label: string; icon: ReactNode; onSelect: () => void; isDangerous?: boolean }>;

type Props = {
  count: number;
  /** What is selected, if not rows. */
  label?: string;
  actions: readonly SelectionAction[];
  onClear: () => void;
};

/** Floats over the table while rows are selected: their number and bulk actions. Escape clears the selection. */
export const SelectionBar = ({ count, label, actions, onClear }: Props) => {
  const { t } = useTranslation();
  const what = label ?? t("components.table.selected", { count });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !document.querySelector('[role="dialog"]')) onClear();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onClear]);
  const quiet = {
    color: "tip.fg",
    height: 28,
    "&:hover": { bgcolor: "rgb(255 255 255 / .12)", color: "tip.fg" },
  } as const;
  return (
    <Box
      sx={{
        position: "fixed",
        left: 0,
        right: 0,
        bottom: 20,
        zIndex: 20,
        display: "grid",
        placeItems: "center",
        px: 2,
        pointerEvents: "none",
      }}
    >
      <Paper
        role="toolbar"
        aria-label={what}
        sx={{
          pointerEvents: "auto",
          borderRadius: "10px",
          bgcolor: "tip.bg",
          color: "tip.fg",
          boxShadow: "0 8px 32px rgb(8 15 25 / .28)",
          maxWidth: "100%",
        }}
      >
        <Row gap={1} wrap sx={{ minHeight: 44, pl: 4, pr: 2, py: 1, whiteSpace: "nowrap" }}>
          <Box sx={{ fontSize: 13, fontWeight: 600, mr: 1 }}>{what}</Box>
          {actions.map(({ label, icon, onSelect, isDangerous }) => (
            <Button
              key={label}
              variant="text"
              startIcon={icon}
              onClick={onSelect}
              sx={
                isDangerous
                  ? { ...quiet, color: "#ffa9a3", "&:hover": { bgcolor: "rgb(255 255 255 / .12)", color: "#ffc4c0" } }
                  : quiet
              }
            >
              {label}
            </Button>
          ))}
          <Button variant="text" onClick={onClear} sx={quiet}>
            {t("components.table.clearSelection")}
          </Button>
        </Row>
      </Paper>
    </Box>
  );
};
