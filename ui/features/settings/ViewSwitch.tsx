import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useTranslation } from "react-i18next";

export type EditorView = "visual" | "json";

/** Between a form and the JSON behind it. */
export const ViewSwitch = ({ view, onChange }: { view: EditorView; onChange: (view: EditorView) => void }) => {
  const { t } = useTranslation();
  return (
    <ToggleButtonGroup
      exclusive
      size="small"
      value={view}
      aria-label={t("settings.view.label")}
      onChange={(_, next: EditorView | null) => next && onChange(next)}
      sx={{ alignSelf: "flex-start" }}
    >
      <ToggleButton value="visual">{t("settings.view.visual")}</ToggleButton>
      <ToggleButton value="json">{t("settings.view.json")}</ToggleButton>
    </ToggleButtonGroup>
  );
};
