import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import Drawer from "@mui/material/Drawer";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { size } from "../../theme.ts";
import { useSession } from "../session/session.tsx";
import { Sider } from "./Sider.tsx";
import { useWays, type Way } from "./useWays.ts";

/** The menu on a phone: the site's ways and the console's pages, over the page, closed by going somewhere. */
export const SiderDrawer = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const { t } = useTranslation();
  const { user } = useSession();
  const ways = useWays().filter(({ key }) => key !== "console");
  return (
    <Drawer open={isOpen} onClose={onClose} anchor="left" slotProps={{ paper: { "aria-label": t("shell.menu") } }}>
      <Box component="nav" aria-label={t("shell.ways")} sx={{ width: size.sider, flex: "none", px: 2, pt: 3 }}>
        {ways.map((way) => (
          <WayLink key={way.key} way={way} onClick={onClose} />
        ))}
      </Box>
      {user && <Sider isCollapsed={false} onNavigate={onClose} />}
    </Drawer>
  );
};

const WayLink = ({ way, onClick }: { way: Way; onClick: () => void }) => (
  <ButtonBase
    {...("to" in way
      ? { component: Link, to: way.to }
      : { component: "a", href: way.href, target: "_blank", rel: "noreferrer" })}
    onClick={onClick}
    aria-current={way.isHere ? "page" : undefined}
    sx={{
      width: "100%",
      height: 32,
      px: 2.5,
      justifyContent: "flex-start",
      borderRadius: "7px",
      fontSize: 13,
      color: way.isHere ? "text.primary" : "text.secondary",
      fontWeight: way.isHere ? 600 : 450,
    }}
  >
    {way.label}
  </ButtonBase>
);
