import Drawer from "@mui/material/Drawer";
import { Sider } from "./Sider.tsx";

/** The sider on a phone: over the page, closed by going somewhere. */
export const SiderDrawer = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Drawer open={isOpen} onClose={onClose} anchor="left">
    <Sider isCollapsed={false} onNavigate={onClose} />
  </Drawer>
);
