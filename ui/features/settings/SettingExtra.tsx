import type { ReactElement } from "react";
import { AnnouncementsPanel } from "./AnnouncementsPanel.tsx";
import { CalculatorPanel } from "./CalculatorPanel.tsx";
import { CatalogPanel } from "./CatalogPanel.tsx";
import { ChatsPanel } from "./ChatsPanel.tsx";
import { ClearLogsPanel } from "./ClearLogsPanel.tsx";
import { DiscoveryPanel } from "./DiscoveryPanel.tsx";
import { GroupsPanel } from "./GroupsPanel.tsx";
import { PricingPanel } from "./PricingPanel.tsx";
import { SystemInfoPanel } from "./SystemInfoPanel.tsx";
import type { Extra } from "./section.ts";
import { TransferPanel } from "./TransferPanel.tsx";

const EXTRAS: Readonly<Record<Extra, () => ReactElement>> = {
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
};

/** What a section has beside its fields. */
export const SettingExtra = ({ extra }: { extra: Extra }) => {
  const Panel = EXTRAS[extra];
  return <Panel />;
};
