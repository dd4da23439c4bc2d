import Drawer from "@mui/material/Drawer";
import { useTranslation } from "react-i18next";
import { Sider } from "./Sider.tsx";

/** The sider on a phone: over the page, closed by going somewhere. */
export const SiderDrawer = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const { t } = useTranslation();
  return (
    <Drawer open={isOpen} onClose={onClose} anchor="left" slotProps={{ paper: { "aria-label": t("shell.menu") } }}>
      <Sider isCollapsed={false} onNavigate={onClose} />
    </Drawer>
  );
};
