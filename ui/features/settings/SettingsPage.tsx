import Search from "@mui/icons-material/Search";
import Autocomplete from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import Skeleton from "@mui/material/Skeleton";
import Tab from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../components/feedback/ErrorState.tsx";
import { useUnsavedGuard } from "../../components/feedback/SideDrawer.tsx";
import { Col, PageHeader, Row } from "../../components/layout.tsx";
import { NotPermitted } from "../../components/page/StatePages.tsx";
import { useAddress } from "../../components/use-address.ts";
import { useSession } from "../../state/session.ts";
import { hasRootRight } from "../../state/stored-user.ts";
import { controlId } from "./fields/SettingInput.tsx";
import { findSettings, type SettingTarget, useSettingTargets } from "./find-settings.ts";
import { CalculatorPanel } from "./model-prices/CalculatorPanel.tsx";
import { PricingPanel } from "./model-prices/PricingPanel.tsx";
import { NO_PRICE_VIEW } from "./model-prices/price-view.ts";
import { options } from "./option-calls.ts";
import { SaveBar } from "./page/SaveBar.tsx";
import { SectionView } from "./page/SectionView.tsx";
import { SettingNav } from "./page/SettingNav.tsx";
import { AnnouncementsPanel } from "./panels/AnnouncementsPanel.tsx";
import { BrandPreview } from "./panels/BrandPreview.tsx";
import { ChatsPanel } from "./panels/ChatsPanel.tsx";
import { ClearLogsPanel } from "./panels/ClearLogsPanel.tsx";
import { CatalogPanel, DiscoveryPanel } from "./panels/DiscoveryPanel.tsx";
import { GroupsPanel } from "./panels/GroupsPanel.tsx";
import { LimitRulesPanel } from "./panels/limits/LimitRulesPanel.tsx";
import { ResponseCachePanel } from "./panels/ResponseCachePanel.tsx";
import { SystemInfoPanel } from "./panels/SystemInfoPanel.tsx";
import { TransferPanel } from "./panels/TransferPanel.tsx";
import { SECTIONS } from "./sections.ts";
import { type Extra, isTab, type SettingSection, type SettingTab, TABS } from "./setting-field.ts";
import { useDraftsOfPage, useSettings } from "./settings-store.tsx";

/** All options of the site, for super admins. */
export const SettingPage = () => {
  const { t } = useTranslation();
  const { user } = useSession();
  const { data, error, refetch } = useQuery({ ...options, enabled: hasRootRight(user, "settings:read") });
  if (!hasRootRight(user, "settings:read")) return <NotPermitted isFor="superAdmin" />;
  if (error && !data) {
    return (
      <>
        <PageHeader title={t("settings.title")} purpose={t("settings.purpose")} />
        <ErrorState error={error} onRetry={() => void refetch()} />
      </>
    );
  }
  if (!data) return <PageSkeleton />;
  return <Content />;
};

const nothing = () => {};

const Content = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const { changed } = useSettings();
  useDraftsOfPage();
  useUnsavedGuard(changed.size > 0, nothing);
  const target = address.text("field");
  const tabName = address.text("tab");
  const tab: SettingTab = isTab(tabName) ? tabName : "operation";
  const sections = SECTIONS.filter((section) => section.tab === tab);
  const isNarrowed = Object.keys(NO_PRICE_VIEW).some((key) => address.text(key) !== "");
  const section = openSection(sections, address.text("section") || target || (isNarrowed ? "pricing" : ""));
  useEffect(() => {
    if (!target) return;
    // The section exists only after this render.
    const frame = requestAnimationFrame(() => show(target));
    return () => cancelAnimationFrame(frame);
  }, [target]);
  const find = (key: string) => {
    const { tab, id } = SECTIONS.find((one) => contains(one, key)) ?? section;
    // Searching for it again doesn't change the URL.
    if (key === target && id === section.id) show(key);
    else address.set({ tab, section: undefined, field: key });
  };
  const select = (id: string) => address.set({ section: id, field: undefined, ...NO_PRICE_VIEW });
  return (
    <>
      <PageHeader title={t("settings.title")} purpose={t("settings.purpose")} />
      <Row wrap gap={4} sx={{ mb: 5, rowGap: 2 }}>
        <Tabs
          value={tab}
          onChange={(_, next: SettingTab) =>
            address.set({ tab: next, section: undefined, field: undefined, ...NO_PRICE_VIEW })
          }
          aria-label={t("settings.title")}
          variant="scrollable"
          allowScrollButtonsMobile
          sx={{ flex: { xs: "1 1 100%", md: 1 }, minWidth: 0 }}
        >
          {TABS.map((name) => (
            <Tab key={name} value={name} label={t(`settings.tabs.${name}`)} id={`tab-${name}`} aria-controls="tab" />
          ))}
        </Tabs>
        <SettingSearch onFound={({ section: { id }, field }) => find(field?.key ?? id)} />
      </Row>
      <Box sx={{ display: "flex", flexDirection: { xs: "column", md: "row" }, gap: { xs: 5, md: 8 } }}>
        {sections.length > 1 && <SettingNav sections={sections} current={section} onSelect={select} />}
        <Box role="tabpanel" id="tab" aria-labelledby={`tab-${tab}`} sx={{ flex: 1, minWidth: 0, maxWidth: 1040 }}>
          <SectionView
            key={section.id}
            section={section}
            extra={section.extra && <SettingExtra extra={section.extra} />}
          />
          {(section.fields.length > 0 || changed.size > 0) && <SaveBar onFault={find} />}
        </Box>
      </Box>
    </>
  );
};

/** Whether the name is the section's or that of one of its options. */
const contains = ({ id, fields }: SettingSection, name: string): boolean =>
  id === name || fields.some(({ key }) => key === name);

/** The section with the name or with that option, else the first. Throws where a tab has none. */
function openSection(sections: readonly SettingSection[], name: string): SettingSection {
  const section = sections.find((one) => contains(one, name)) ?? sections[0];
  if (!section) throw new Error("a tab without sections");
  return section;
}

/** Scrolls to a setting. A section needs none: the page shows only that. */
function show(target: string): void {
  const control = document.getElementById(controlId(target));
  control?.scrollIntoView({ block: "center" });
  control?.focus({ preventScroll: true });
}

const PageSkeleton = () => (
  <Col gap={4}>
    <Skeleton width={160} height={32} />
    <Skeleton variant="rounded" height={40} />
    <Skeleton variant="rounded" height={220} />
    <Skeleton variant="rounded" height={220} />
  </Col>
);

const SHOWN = 30;

/** Finds a setting by its name, key or description and scrolls to it. */
const SettingSearch = ({ onFound }: { onFound: (target: SettingTarget) => void }) => {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const targets = useSettingTargets();
  return (
    <Autocomplete
      options={targets}
      value={null}
      inputValue={typed}
      autoHighlight
      blurOnSelect
      forcePopupIcon={false}
      noOptionsText={t("settings.search.none")}
      sx={{ width: { xs: "100%", md: 280 } }}
      filterOptions={(all, { inputValue }) => findSettings(all, inputValue).slice(0, SHOWN)}
      getOptionLabel={({ label }) => label}
      getOptionKey={({ section, field }) => `${section.id}/${field?.key ?? ""}`}
      onInputChange={(_, text, reason) => setTyped(reason === "input" ? text : "")}
      onChange={(_, target) => target && onFound(target)}
      renderOption={({ key, ...props }, { label, section, field }) => (
        <Box component="li" key={key} {...props}>
          <Box sx={{ minWidth: 0 }}>
            <Box sx={{ fontSize: 13 }}>{label}</Box>
            <Box sx={{ fontSize: 12, color: "text.tertiary" }}>
              {t(`settings.tabs.${section.tab}`)}
              {field && ` · ${t(`settings.sections.${section.id}.title`)}`}
            </Box>
          </Box>
        </Box>
      )}
      renderInput={({ slotProps }) => (
        <OutlinedInput
          ref={slotProps.input.ref}
          fullWidth
          inputProps={{ ...slotProps.htmlInput, "aria-label": t("settings.search.label") }}
          placeholder={t("settings.search.placeholder")}
          startAdornment={
            <InputAdornment position="start">
              <Search />
            </InputAdornment>
          }
        />
      )}
    />
  );
};

const EXTRAS: Readonly<Record<Extra, () => ReactElement>> = {
  brandPreview: BrandPreview,
  catalog: CatalogPanel,
  groups: GroupsPanel,
  pricing: PricingPanel,
  calculator: CalculatorPanel,
  transfer: TransferPanel,
  announcements: AnnouncementsPanel,
  chats: ChatsPanel,
  clearLogs: ClearLogsPanel,
  discovery: DiscoveryPanel,
  systemInfo: SystemInfoPanel,
  responseCache: ResponseCachePanel,
  limitRules: LimitRulesPanel,
};

/** The content of a section besides its fields. */
const SettingExtra = ({ extra }: { extra: Extra }) => {
  const Panel = EXTRAS[extra];
  return <Panel />;
};
