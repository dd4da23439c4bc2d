import Box from "@mui/material/Box";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ManagedNotice, useManaged } from "../../../components/form/Managed.tsx";
import { SettingInput } from "../fields/SettingInput.tsx";
import type { SettingSection } from "../setting-field.ts";

/** The element id of a section. */
const sectionId = (id: string): string => `section-${id}`;

/** One section: heading and options. Switches come after the other fields. */
export const SectionView = ({ section, extra }: { section: SettingSection; extra?: ReactNode }) => {
  const { t } = useTranslation();
  const managedOf = useManaged();
  const managed = section.fields.map(({ key }) =>
    // A super administrator can always unlock the site.
    key === "LockManagedByFiles" ? null : managedOf({ section: "options", name: key }),
  );
  const first = managed.find((each) => each !== null);
  return (
    <Box component="section" id={sectionId(section.id)} aria-labelledby={`${sectionId(section.id)}-title`}>
      <Typography variant="h2" id={`${sectionId(section.id)}-title`}>
        {t(`settings.sections.${section.id}.title`)}
      </Typography>
      <Typography variant="body2" sx={{ color: "text.secondary", mt: 0.5, mb: 4 }}>
        {t(`settings.sections.${section.id}.purpose`)}
      </Typography>
      {first && <ManagedNotice managed={first} />}
      {section.drawsFields && extra}
      {section.fields.length > 0 && !section.drawsFields && (
        <Box
          sx={{
            display: "grid",
            gridTemplateColumns: "repeat(auto-fill, minmax(min(280px, 100%), 1fr))",
            gap: 5,
            alignItems: "start",
          }}
        >
          {section.fields.map((field, at) => (
            <Box
              key={field.key}
              sx={{ display: "contents", "& > *": managed[at]?.isLocked ? { opacity: 0.6 } : {} }}
              inert={managed[at]?.isLocked}
            >
              <SettingInput field={field} />
            </Box>
          ))}
        </Box>
      )}
      {!section.drawsFields && extra && <Box sx={{ mt: section.fields.length > 0 ? 5 : 0 }}>{extra}</Box>}
    </Box>
  );
};

export type EditorView = "visual" | "json";

/** Switches between a form and its JSON. */
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
