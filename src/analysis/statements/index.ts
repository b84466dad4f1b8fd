/** All that can be said of sides in words: how they differ, and what each shows by itself. */
import type { Rules } from '../compare-rows.js';
import type { View } from '../views.js';
import { dipStatements } from './dips.js';
import { layerStatements } from './layers.js';
import type { Statement } from './types.js';
import { variantStatements } from './variants.js';

export { sideStatements } from './sides.js';
export type { Statement };

/** What sides show by themselves. */
export function ownStatements(views: readonly View[], rules: Rules): Statement[] {
  return [...layerStatements(views, rules), ...variantStatements(views), ...dipStatements(views)];
}
