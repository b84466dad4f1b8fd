import type { Rendezvous } from '../rendezvous/types.js';
import { LayerRefusal, type MessageLayer } from './messages.js';
export function shmLayer(_rendezvous: Rendezvous): MessageLayer {
  throw new LayerRefusal('not yet');
}
