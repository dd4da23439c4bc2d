import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { SectionNav } from "../../../components/page/SectionNav.tsx";
import type { SettingSection } from "../setting-field.ts";
import { useSettings } from "../settings-store.tsx";

type Props = Readonly<{
  sections: readonly SettingSection[];
  current: SettingSection;
  onSelect: (id: string) => void;
}>;

/** The sections of a tab of the settings. A dot marks unsaved changes. */
export const SettingNav = ({ sections, current, onSelect }: Props) => {
  const { t } = useTranslation();
  const { changed } = useSettings();
  return (
    <SectionNav
      label={t("settings.sectionsLabel")}
      current={current.id}
      onSelect={onSelect}
      sections={sections.map(({ id, fields }) => ({
        id,
        title: t(`settings.sections.${id}.title`),
        mark: fields.some(({ key }) => changed.has(key)) && <UnsavedDot />,
      }))}
    />
  );
};

const UnsavedDot = () => {
  const { t } = useTranslation();
  return (
    <Box
      component="span"
      role="img"
      aria-label={t("settings.unsaved")}
      sx={{ width: 6, height: 6, borderRadius: 3, bgcolor: "tone.warn.solid" }}
    />
  );
};
