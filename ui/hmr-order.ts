/**
 * Loads the router's core before anything that uses it: two of its modules import each other, and the development server,
 * which does not hoist functions across modules as the bundler does, otherwise runs them in the wrong order.
 */
import "../node_modules/@tanstack/router-core/dist/esm/router.js";
