/** The exceptional end of a frame, which consumes all its gas. */

/** Thrown to end a frame; not an `Error`, since collecting a stack trace would take longer than the frame. */
export class Halt {
  /** @param reason - why, as go-ethereum names it. */
  constructor(readonly reason: string) {}
}

const OUT_OF_GAS = new Halt('out of gas')

/** Ends a frame for lack of gas. @throws Halt */
export function outOfGas(): never {
  throw OUT_OF_GAS
}
