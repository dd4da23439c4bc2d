import ChatBubbleOutlineOutlined from "@mui/icons-material/ChatBubbleOutlineOutlined";
import ChatOutlined from "@mui/icons-material/ChatOutlined";
import ExpandMore from "@mui/icons-material/ExpandMore";
import KeyboardDoubleArrowLeft from "@mui/icons-material/KeyboardDoubleArrowLeft";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import Drawer from "@mui/material/Drawer";
import IconButton from "@mui/material/IconButton";
import { Link } from "@tanstack/react-router";
import { useAtomValue } from "jotai";
import { memo, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMayOpen } from "../../../api/accounts/use-organization.ts";
import { Row } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { usePathname } from "../../../components/use-address.ts";
import { useSession } from "../../../state/session.ts";
import { isSiteLoadingAtom, useSite } from "../../../state/site-status.ts";
import { size } from "../../../theme/theme.ts";
import { useHasFirstSteps } from "../first-steps/first-steps.ts";
import { entryStyle, NavEntryLinks, NavLink, type NavLinkProps } from "./NavLinks.tsx";
import { entriesOf, isUnder, navFor, type SiteLink, useSiteLinks } from "./nav.ts";

type Props = { isCollapsed: boolean; onCollapse?: (collapsed: boolean) => void; onNavigate?: () => void };

/** The sidebar: the pages of the console that the user may open. */
export const Sider = memo(({ isCollapsed, onCollapse, onNavigate }: Props) => {
  const { t } = useTranslation();
  const { user } = useSession();
  const site = useSite();
  // On a first visit the site's pages are unknown: entries that appear later would move the others under the pointer.
  const isUnknown = useAtomValue(isSiteLoadingAtom) && site === undefined;
  const hasFirstSteps = useHasFirstSteps();
  const mayOpen = useMayOpen();
  const version = site?.version;
  const chats = (site?.chats ?? []).flatMap((chat) => Object.keys(chat).slice(0, 1));
  const shared = { isCollapsed, ...(onNavigate && { onNavigate }) };
  const toggle = isCollapsed ? t("shell.expand") : t("shell.collapse");
  return (
    <Box
      component="nav"
      aria-label={t("shell.nav")}
      sx={{
        width: isCollapsed ? size.siderCollapsed : size.sider,
        flex: "none",
        display: "flex",
        flexDirection: "column",
        height: "100%",
        overflowY: "auto",
        overflowX: "hidden",
        px: 2,
        py: 3,
      }}
    >
      {(isUnknown ? [] : navFor(user, site && { ...site, has_first_steps: hasFirstSteps }, mayOpen)).map(
        ({ key, items }) => (
          <Box key={key} sx={{ mb: 2.5 }}>
            {!isCollapsed && key !== "playground" && (
              <Box sx={{ px: 2.5, mb: 1, fontSize: 12, lineHeight: "16px", fontWeight: 520, color: "text.tertiary" }}>
                {t(`shell.sections.${key}`)}
              </Box>
            )}
            {entriesOf(items).map((entry) => (
              <NavEntryLinks key={entry.items[0].path} entry={entry} {...shared} />
            ))}
            {key === "playground" && chats.length > 0 && <ChatLinks names={chats} {...shared} />}
          </Box>
        ),
      )}
      <Box sx={{ flex: 1 }} />
      {onCollapse && (
        <Row sx={{ px: isCollapsed ? 0 : 2.5, justifyContent: isCollapsed ? "center" : "space-between" }}>
          {!isCollapsed && (
            <Box sx={{ fontSize: 12, color: "text.tertiary" }}>
              {version && /^\d/.test(version) ? `v${version}` : version}
            </Box>
          )}
          <Tip title={toggle} placement="right">
            <IconButton size="small" aria-label={toggle} onClick={() => onCollapse(!isCollapsed)}>
              <KeyboardDoubleArrowLeft sx={isCollapsed ? { transform: "rotate(180deg)" } : {}} />
            </IconButton>
          </Tip>
        </Row>
      )}
    </Box>
  );
});

/** The site's chat links, collapsed under one entry: they lead to other sites, and there may be many. */
const ChatLinks = ({
  names,
  ...shared
}: { names: readonly string[] } & Pick<NavLinkProps, "isCollapsed" | "onNavigate">) => {
  const { t } = useTranslation();
  const pathname = usePathname();
  const [isOpen, setOpen] = useState(() => isUnder(pathname, "/chat"));
  const id = useId();
  const label = t("shell.chats");
  const toggle = (
    <ButtonBase
      onClick={() => setOpen(!isOpen)}
      aria-expanded={isOpen}
      aria-controls={id}
      aria-label={shared.isCollapsed ? label : undefined}
      sx={entryStyle(false, shared.isCollapsed)}
    >
      <ChatOutlined />
      {!shared.isCollapsed && (
        <>
          <Box sx={{ flex: 1, textAlign: "left" }}>{label}</Box>
          <ExpandMore sx={isOpen ? { transform: "rotate(180deg)" } : {}} />
        </>
      )}
    </ButtonBase>
  );
  return (
    <>
      {shared.isCollapsed ? (
        <Tip title={label} placement="right">
          {toggle}
        </Tip>
      ) : (
        toggle
      )}
      <Box id={id} hidden={!isOpen} sx={{ pl: shared.isCollapsed ? 0 : 3 }}>
        {names.map((name, place) => (
          <NavLink
            // biome-ignore lint/suspicious/noArrayIndexKey: a chat's address is its place
            key={place}
            to={`/chat/${place}`}
            label={name}
            icon={ChatBubbleOutlineOutlined}
            isHere={isUnder(pathname, `/chat/${place}`)}
            {...shared}
          />
        ))}
      </Box>
    </>
  );
};

/** The menu where the window has no room for a sidebar: the site's links and the console's pages; navigation closes it. */
export const SiderDrawer = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const { t } = useTranslation();
  const { user } = useSession();
  const siteLinks = useSiteLinks().filter(({ key }) => key !== "console");
  return (
    <Drawer open={isOpen} onClose={onClose} anchor="left" slotProps={{ paper: { "aria-label": t("shell.menu") } }}>
      <Box component="nav" aria-label={t("shell.navigation")} sx={{ width: size.sider, flex: "none", px: 2, pt: 3 }}>
        {siteLinks.map((link) => (
          <SiteLinkItem key={link.key} link={link} onClick={onClose} />
        ))}
      </Box>
      {user && <Sider isCollapsed={false} onNavigate={onClose} />}
    </Drawer>
  );
};

const SiteLinkItem = ({ link, onClick }: { link: SiteLink; onClick: () => void }) => (
  <ButtonBase
    {...("to" in link
      ? { component: Link, to: link.to }
      : { component: "a", href: link.href, target: "_blank", rel: "noreferrer" })}
    onClick={onClick}
    aria-current={link.isHere ? "page" : undefined}
    sx={{
      width: "100%",
      height: 32,
      px: 2.5,
      justifyContent: "flex-start",
      borderRadius: "7px",
      fontSize: 13,
      color: link.isHere ? "text.primary" : "text.secondary",
      fontWeight: link.isHere ? 600 : 450,
    }}
  >
    {link.label}
  </ButtonBase>
);
