import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import MenuItem from "@mui/material/MenuItem";
import TextField from "@mui/material/TextField";
import { useTranslation } from "react-i18next";
import { Row } from "../../../components/layout.tsx";
import type { SettingSection } from "../setting-field.ts";
import { useSettings } from "../settings-store.tsx";

type Props = Readonly<{
  sections: readonly SettingSection[];
  current: SettingSection;
  onSelect: (id: string) => void;
}>;

/** The sections of a tab: a list next to the open one, on narrow screens a select above it. A dot marks unsaved changes. */
export const SectionNav = (props: Props) => (
  <>
    <SectionList {...props} />
    <SectionSelect {...props} />
  </>
);

const SectionList = ({ sections, current, onSelect }: Props) => {
  const { t } = useTranslation();
  return (
    <Box
      component="nav"
      aria-label={t("settings.sectionsLabel")}
      sx={{
        position: "sticky",
        top: 72,
        alignSelf: "start",
        display: { xs: "none", md: "block" },
        width: 176,
        flex: "none",
        borderLeft: "1px solid",
        borderColor: "line.main",
      }}
    >
      {sections.map((section) => {
        const isCurrent = section.id === current.id;
        return (
          <ButtonBase
            key={section.id}
            onClick={() => onSelect(section.id)}
            {...(isCurrent && { "aria-current": "page" as const })}
            sx={{
              display: "flex",
              width: "100%",
              justifyContent: "space-between",
              textAlign: "left",
              px: 3,
              py: 1,
              fontSize: 13,
              // Makes entries in Latin letters as tall as those in Chinese.
              lineHeight: "20px",
              fontWeight: isCurrent ? 600 : 400,
              color: isCurrent ? "text.primary" : "text.secondary",
              boxShadow: ({ palette }) => (isCurrent ? `inset 2px 0 ${palette.primary.main}` : "none"),
              "&:hover": { color: "text.primary", bgcolor: "surface.hover" },
            }}
          >
            {t(`settings.sections.${section.id}.title`)}
            <UnsavedDot section={section} />
          </ButtonBase>
        );
      })}
    </Box>
  );
};

const SectionSelect = ({ sections, current, onSelect }: Props) => {
  const { t } = useTranslation();
  return (
    <TextField
      select
      fullWidth
      size="small"
      value={current.id}
      onChange={({ target }) => onSelect(target.value)}
      sx={{ display: { md: "none" } }}
      slotProps={{ select: { "aria-label": t("settings.sectionsLabel"), MenuProps: { sx: { maxHeight: 480 } } } }}
    >
      {sections.map((section) => (
        <MenuItem key={section.id} value={section.id}>
          <Row gap={2} sx={{ justifyContent: "space-between", width: 1 }}>
            {t(`settings.sections.${section.id}.title`)}
            <UnsavedDot section={section} />
          </Row>
        </MenuItem>
      ))}
    </TextField>
  );
};

const UnsavedDot = ({ section }: { section: SettingSection }) => {
  const { t } = useTranslation();
  const { changed } = useSettings();
  if (!section.fields.some(({ key }) => changed.has(key))) return null;
  return (
    <Box
      component="span"
      role="img"
      aria-label={t("settings.unsaved")}
      sx={{ width: 6, height: 6, borderRadius: 3, bgcolor: "tone.warn.solid" }}
    />
  );
};
