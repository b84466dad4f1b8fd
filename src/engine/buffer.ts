import { constants } from 'node:buffer';
import { wholeNumber } from './arguments.js';
import { engine } from './native.js';

/** How an engine buffer is laid out. */
export interface BufferOptions {
  /** Bytes that the address is a multiple of: a power of two, by default 4096. */
  readonly alignment?: number;
}

/** Memory of another stack that an engine buffer is to show. */
export interface ForeignMemory {
  readonly byteLength: number;
  /** Makes `object` wrap a handle on the memory, as csrc/engine/bytes_js.hpp says. */
  readonly bind: (object: object) => void;
  /** Detaches the views and frees the memory. */
  readonly release: (object: object, views: readonly ArrayBuffer[]) => void;
}

/**
 * Page-aligned memory that JavaScript and native stacks share without copies. Its pages are touched and zero. It lives as
 * long as anything refers to it: this object, a view, an operation.
 */
export class EngineBuffer {
  readonly #byteLength: number;
  #freed = false;
  /** The whole memory, where JavaScript can show it in one piece. */
  #whole: ArrayBuffer | undefined;
  /** Parts of a buffer too long for that. */
  #parts: WeakRef<ArrayBuffer>[] = [];
  readonly #release: ForeignMemory['release'];

  /** Allocates `byteLength` bytes. Throws RangeError for sizes that make no sense or don't fit into memory. */
  static allocate(byteLength: number, options: BufferOptions = {}): EngineBuffer {
    const alignment = options.alignment ?? 4096;
    wholeNumber(byteLength, 'byteLength');
    wholeNumber(alignment, 'alignment', 8);
    if (!Number.isInteger(Math.log2(alignment))) {
      throw new RangeError(`alignment must be a power of two, not ${alignment}`);
    }
    return new EngineBuffer({
      byteLength,
      bind: (object) => {
        engine().bufferAllocate(object, byteLength, alignment);
      },
      release: (object, views) => {
        engine().bufferFree(object, views);
      },
    });
  }

  /** Shows memory that another stack allocated; `free` gives it back there. Nothing frees it when the object is forgotten. */
  static adopt(memory: ForeignMemory): EngineBuffer {
    return new EngineBuffer(memory);
  }

  private constructor({ byteLength, bind, release }: ForeignMemory) {
    bind(this);
    this.#byteLength = byteLength;
    this.#release = release;
  }

  /** Bytes, or 0 once freed. */
  get byteLength(): number {
    return this.#freed ? 0 : this.#byteLength;
  }

  get freed(): boolean {
    return this.#freed;
  }

  /** Address of the first byte. */
  get address(): bigint {
    this.#requireAlive();
    return engine().bufferAddress(this);
  }

  /**
   * The memory from `offset` on, as a Uint8Array that shares it; by default all of it. Throws RangeError for a part
   * outside the buffer or longer than JavaScript's arrays can be.
   */
  view(offset = 0, length = this.byteLength - offset): Uint8Array {
    this.#requireAlive();
    wholeNumber(offset, 'offset');
    wholeNumber(length, 'length');
    if (offset + length > this.#byteLength) {
      throw new RangeError(`offset ${offset} and length ${length} go beyond the buffer's ${this.#byteLength} bytes`);
    }
    if (length > constants.MAX_LENGTH) {
      throw new RangeError(
        `a JavaScript array holds at most ${constants.MAX_LENGTH} bytes, not ${length}: ask for a shorter view`,
      );
    }
    if (this.#byteLength > constants.MAX_LENGTH) return new Uint8Array(this.#part(offset, length));
    this.#whole ??= engine().bufferView(this, 0, this.#byteLength);
    return new Uint8Array(this.#whole, offset, length);
  }

  /** Frees the memory at once, after detaching every view. Throws while an operation holds it. */
  free(): void {
    if (this.#freed) return;
    const users = engine().bufferUsers(this);
    if (users > 0) {
      const operations = users === 1 ? 'an operation or memory region' : `${users} operations or memory regions`;
      throw new Error(`the buffer can't be freed: ${operations} still hold${users === 1 ? 's' : ''} it; release first`);
    }
    const views = [this.#whole, ...this.#parts.map((part) => part.deref())];
    this.#release(
      this,
      views.filter((view) => view !== undefined),
    );
    this.#freed = true;
    this.#whole = undefined;
    this.#parts = [];
  }

  #part(offset: number, length: number): ArrayBuffer {
    const part = engine().bufferView(this, offset, length);
    this.#parts = [...this.#parts.filter((known) => known.deref() !== undefined), new WeakRef(part)];
    return part;
  }

  #requireAlive(): void {
    if (this.#freed) throw new Error('the engine buffer was freed: allocate a new one');
  }
}
