import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import { useTranslation } from "react-i18next";
import { sectionId } from "./SectionView.tsx";
import type { SettingSection } from "./section.ts";
import { useSettings } from "./settings-store.tsx";

/** The sections of a tab, to jump to; a dot where something is not saved yet. */
export const SectionNav = ({ sections }: { sections: readonly SettingSection[] }) => {
  const { t } = useTranslation();
  const { changed } = useSettings();
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
      {sections.map((section) => (
        <ButtonBase
          key={section.id}
          onClick={() => document.getElementById(sectionId(section.id))?.scrollIntoView({ behavior: "smooth" })}
          sx={{
            display: "flex",
            width: "100%",
            justifyContent: "space-between",
            textAlign: "left",
            px: 3,
            py: 1,
            fontSize: 13,
            // Entries in Latin letters are as high as those in Chinese.
            lineHeight: "20px",
            color: "text.secondary",
            "&:hover": { color: "text.primary", bgcolor: "surface.hover" },
          }}
        >
          {t(`settings.sections.${section.id}.title`)}
          {section.fields.some(({ key }) => changed.has(key)) && (
            <Box
              component="span"
              role="img"
              aria-label={t("settings.unsaved")}
              sx={{ width: 6, height: 6, borderRadius: 3, bgcolor: "tone.warn.solid" }}
            />
          )}
        </ButtonBase>
      ))}
    </Box>
  );
};
