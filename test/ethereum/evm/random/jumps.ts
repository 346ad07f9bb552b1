/**
 * Code with jumps that can be moved: until it is linked, a destination is four letters from g to v, one for each digit of
 * its distance, modulo 2^16.
 */
import type { Code } from '../programs.ts'

const FIRST_LETTER = 'g'.charCodeAt(0)

/** PUSH2 of the destination that is `distance` bytes after the end of this instruction. */
export function pushDestination(distance: number): Code {
  const digits = (distance & 0xffff).toString(16).padStart(4, '0')
  const letters = [...digits].map((digit) => String.fromCharCode(FIRST_LETTER + Number.parseInt(digit, 16)))
  return `61${letters.join('')}`
}

/** Replaces the distances by destinations, for code that starts at offset 0. */
export function link(code: Code): Code {
  return code.replace(/[g-v]+/g, (letters, at: number) => {
    // Code that was cut off may end with a part of a distance.
    if (letters.length < 4) return '0'.repeat(letters.length)
    const digits = [...letters].map((letter) => (letter.charCodeAt(0) - FIRST_LETTER).toString(16)).join('')
    const destination = at / 2 + 2 + Number.parseInt(digits, 16)
    return (destination & 0xffff).toString(16).padStart(4, '0')
  })
}

/** The number of bytes of code. */
const length = (code: Code): number => code.length / 2

/** Executes `then` only if `condition` pushes another word than zero. */
export function branch(condition: Code, then: Code): Code {
  // ISZERO, PUSH2, JUMPI, …, JUMPDEST
  return `${condition}15${pushDestination(1 + length(then))}57${then}5b`
}

/** Jumps over bytes that are not executed. */
export function skip(bytes: Code): Code {
  return `${pushDestination(1 + length(bytes))}56${bytes}5b`
}

/** Calls a subroutine, which jumps back to an offset on the stack. */
export function subroutine(body: Code): Code {
  // The way back, JUMPDEST, the body, JUMP; JUMPDEST.
  const jump = pushDestination(1)
  const rest = `56${'5b'}${body}56`
  return `${pushDestination(length(jump) + length(rest))}${jump}${rest}5b`
}

/**
 * Executes `body` several times. The number of the executions left is on top of the stack.
 *
 * @param isRelative - whether the start is computed from PC.
 */
export function loop(times: Code, body: Code, isRelative: boolean): Code {
  // JUMPDEST, the body; the counter minus one, twice.
  const round = `5b${body}6001900380`
  const back = isRelative
    ? `61${(length(round) + 3).toString(16).padStart(4, '0')}5803`
    : pushDestination(-length(round) - 3)
  return `${times}${round}${back}5750`
}
