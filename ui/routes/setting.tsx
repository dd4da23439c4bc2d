import Skeleton from "@mui/material/Skeleton";
import Tab from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../components/ErrorState.tsx";
import { Col, Row } from "../components/layout.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { useUnsavedGuard } from "../components/use-unsaved-guard.ts";
import { useAddress } from "../components/useAddress.ts";
import { useSession } from "../features/session/session.tsx";
import { isSuperAdmin } from "../features/session/stored-user.ts";
import type { SettingTarget } from "../features/settings/find-settings.ts";
import { options } from "../features/settings/option-calls.ts";
import { NO_PRICE_VIEW } from "../features/settings/price-view.ts";
import { SectionNav } from "../features/settings/SectionNav.tsx";
import { SectionView, sectionId } from "../features/settings/SectionView.tsx";
import { SettingExtra } from "../features/settings/SettingExtra.tsx";
import { controlId } from "../features/settings/SettingInput.tsx";
import { SettingSearch } from "../features/settings/SettingSearch.tsx";
import { isTab, type SettingTab, TABS } from "../features/settings/section.ts";
import { SECTIONS } from "../features/settings/sections.ts";
import { useDraftsOfPage, useSettings } from "../features/settings/settings-store.tsx";
import { NotPermitted } from "../features/shell/NotPermitted.tsx";

/** All options of the site, for super admins. */
export const SettingPage = () => {
  const { user } = useSession();
  const { data, error, refetch } = useQuery({ ...options, enabled: isSuperAdmin(user) });
  if (!isSuperAdmin(user)) return <NotPermitted />;
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
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
  const given = address.text("tab");
  const tab: SettingTab = isTab(given) ? given : "operation";
  const wanted = address.text("field");
  useEffect(() => {
    if (!wanted) return;
    // The tab's sections stand only after this has been drawn.
    const frame = requestAnimationFrame(() => show(wanted));
    return () => cancelAnimationFrame(frame);
  }, [wanted]);
  const find = ({ section, field }: SettingTarget) => {
    const found = field?.key ?? section.id;
    // Looked for once more, it leaves the address as it is.
    if (found === wanted) show(found);
    else address.set({ tab: section.tab, field: found });
  };
  const sections = SECTIONS.filter((section) => section.tab === tab);
  return (
    <>
      <PageHeader title={t("settings.title")} purpose={t("settings.purpose")} />
      <Row wrap gap={4} sx={{ mb: 5, rowGap: 2 }}>
        <Tabs
          value={tab}
          onChange={(_, next: SettingTab) => address.set({ tab: next, field: undefined, ...NO_PRICE_VIEW })}
          aria-label={t("settings.title")}
          variant="scrollable"
          allowScrollButtonsMobile
          sx={{ flex: { xs: "1 1 100%", sm: 1 }, minWidth: 0 }}
        >
          {TABS.map((name) => (
            <Tab key={name} value={name} label={t(`settings.tabs.${name}`)} id={`tab-${name}`} aria-controls="tab" />
          ))}
        </Tabs>
        <SettingSearch onFound={find} />
      </Row>
      <Row gap={8} sx={{ alignItems: "flex-start" }}>
        {sections.length > 1 && <SectionNav sections={sections} />}
        <Col gap={0} sx={{ flex: 1, maxWidth: 1040 }}>
          <div role="tabpanel" id="tab" aria-labelledby={`tab-${tab}`}>
            {sections.map((section) => (
              <SectionView
                key={section.id}
                section={section}
                extra={section.extra && <SettingExtra extra={section.extra} />}
              />
            ))}
          </div>
        </Col>
      </Row>
    </>
  );
};

/** Brings a setting, or a section, into sight. */
function show(wanted: string): void {
  const section = SECTIONS.find(({ id, fields }) => id === wanted || fields.some(({ key }) => key === wanted));
  const control = document.getElementById(controlId(wanted));
  const element = control ?? document.getElementById(sectionId(section?.id ?? ""));
  // Of a section that is higher than the window the beginning is to be seen.
  element?.scrollIntoView({ block: control ? "center" : "start" });
  element?.focus({ preventScroll: true });
}

const PageSkeleton = () => (
  <Col gap={4}>
    <Skeleton width={160} height={32} />
    <Skeleton variant="rounded" height={40} />
    <Skeleton variant="rounded" height={220} />
    <Skeleton variant="rounded" height={220} />
  </Col>
);
