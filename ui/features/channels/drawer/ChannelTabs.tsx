import Tab from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useTranslation } from "react-i18next";

const TABS = ["settings", "health", "errors"] as const;
export type ChannelTab = (typeof TABS)[number];

/** A stored channel's sides: its form, how it does, what failed. */
export const ChannelTabs = ({ value, onChange }: { value: ChannelTab; onChange: (tab: ChannelTab) => void }) => {
  const { t } = useTranslation();
  return (
    <Tabs
      value={value}
      onChange={(_, tab: ChannelTab) => onChange(tab)}
      aria-label={t("channels.tabs.label")}
      sx={{ mt: -3, mb: 4 }}
    >
      {TABS.map((name) => (
        <Tab key={name} value={name} label={t(`channels.tabs.${name}`)} />
      ))}
    </Tabs>
  );
};
