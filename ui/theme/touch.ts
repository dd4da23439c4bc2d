/**
 * Where fingers point, everything that can be pressed is 44 px high and wide (WCAG 2.5.5). Controls that stand in a row of their own
 * grow; small ones within a line keep their look and take touches around it.
 */
export const TARGET_PX = 44;
/** Where fingers point. */
export const IS_TOUCH = "(pointer: coarse)";
