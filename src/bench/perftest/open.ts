/** Opens one side in the way that the options say; what was opened before a failure is closed. */
import { Made } from '../meeting/made.js';
import { openByCm } from './cm-open.js';
import { openByCards } from './build.js';
import type { OpenSide } from './opened.js';

export const open: OpenSide = (request) => {
  const made = new Made();
  try {
    return request.options.meeting.rdmaCm ? openByCm(request, made) : openByCards(request, made);
  } catch (error) {
    made.closeQuietly();
    throw error;
  }
};
