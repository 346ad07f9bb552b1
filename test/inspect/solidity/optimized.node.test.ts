import { describe, expect, it } from 'vitest'
import { compileSource, encodeCall, startCompiled } from '../../tools/compile.ts'

const SOURCE = `error Bad(address who);
error Plain();
contract M {
  uint256 total;
  function first(uint256 a) external view returns (uint256) { if (a > 5) revert Bad(msg.sender); return a + 1; }
  function second(uint256 a) external view returns (uint256) {
    uint256 b = a * 2;
    if (b > 10)
      revert Bad(msg.sender);
    return b;
  }
  function third(uint256 a) external pure returns (uint256) { if (a > 5) revert Plain(); return a + 3; }
  function fourth(uint256 a) external pure returns (uint256) { if (a > 7) revert Plain(); return a + 4; }
  function fifth(uint256 a) external view returns (uint256) { require(a < total, "too much"); return a; }
  function sixth(uint256 a) external view returns (uint256) { require(a * 3 < total, "too much"); return a; }
}
abstract contract Ctx { function _sender() internal view virtual returns (address) { return msg.sender; } }
contract N is Ctx {
  address owner = address(1);
  mapping(address => bool) allowed;
  error Not(address who);
  modifier only() { _check(_sender()); _; }
  modifier listed(address who) { if (!allowed[who]) revert Not(who); _; }
  function _check(address who) internal view { if (who != owner) revert Not(who); }
  function act() external only returns (uint256) { owner = _sender(); return 1; }
  function use(address who) external listed(_sender()) listed(who) { allowed[who] = false; }
  function grant(uint256 role) external { _role(_adminOf(role), _sender()); allowed[_sender()] = true; }
  function _adminOf(uint256 role) internal pure returns (uint256) { return role + 1; }
  function _role(uint256 role, address who) internal view { if (role > 5 && !allowed[who]) revert Not(who); }
}`

const SETTINGS = {
  'without optimiser': {},
  'with the optimiser': { optimizer: { enabled: true, runs: 200 } },
  'via IR': { optimizer: { enabled: true, runs: 200 }, viaIR: true },
}

const CALLS = [
  ['M', 'first', 9n],
  ['M', 'second', 9n],
  ['M', 'third', 9n],
  ['M', 'fourth', 9n],
  ['M', 'fifth', 9n],
  ['M', 'sixth', 9n],
  ['N', 'act'],
  ['N', 'use', '0x00000000000000000000000000000000000000aa'],
  ['N', 'grant', 9n],
] as const

const known = new Map<object, ReturnType<typeof compileSource>>()

/** Compiles once for all tests. */
function compiled(settings: object): ReturnType<typeof compileSource> {
  const found = known.get(settings) ?? compileSource(SOURCE, settings)
  known.set(settings, found)
  return found
}

/** The names of the frames of each failing call, innermost first, the lines of the first, and the notes. */
async function tracesOf(settings: object) {
  const { buildInfo, contracts } = compiled(settings)
  const { chain, from, deploy } = await startCompiled({ stackTraces: [buildInfo as never] })
  const deployed = { M: await deploy(contracts['M']!), N: await deploy(contracts['N']!) }
  return Promise.all(
    CALLS.map(async ([contract, name, ...args]) => {
      const data = encodeCall(contracts[contract]!, name, ...args)
      const { solidity } = await chain.explain({ from, to: deployed[contract], data })
      const { message, frames, notes } = solidity!
      return { message, names: frames.map(({ name }) => name).join(' < '), line: frames[0]!.line, notes }
    }),
  )
}

describe('a stack trace', () => {
  it('has the functions that ran, also if the optimiser has merged or inlined some', async () => {
    const [plain, optimised, viaIR] = await Promise.all(Object.values(SETTINGS).map(tracesOf))
    const namesOf = (traces: typeof plain) => traces!.map(({ names }) => names)
    const messagesOf = (traces: typeof plain) => traces!.map(({ message }) => message)
    expect(namesOf(plain)).toEqual([
      'M.first',
      'M.second',
      'M.third',
      'M.fourth',
      'M.fifth',
      'M.sixth',
      'N._check < N.only < N.act',
      'N.listed < N.use',
      'N._role < N.grant',
    ])
    expect(namesOf(optimised)).toEqual(namesOf(plain))
    expect(messagesOf(optimised)).toEqual(messagesOf(plain))
    expect(messagesOf(viaIR)).toEqual(messagesOf(plain))
    expect([plain, optimised].map((traces) => traces!.map(({ line }) => line))).toEqual([
      plain!.map(({ line }) => line),
      plain!.map(({ line }) => line),
    ])
    // Some are left out, none is added.
    for (const [at, names] of namesOf(viaIR).entries()) {
      expect(namesOf(plain)[at]!.split(' < ')).toEqual(expect.arrayContaining(names.split(' < ')))
      expect(names.split(' < ').at(-1)).toBe(namesOf(plain)[at]!.split(' < ').at(-1))
    }
  })

  it('says in a note that code was compiled via IR', async () => {
    const note =
      'compiled via IR, which keeps fewer locations: a line may be the start of its function, and functions may be missing'
    expect((await tracesOf(SETTINGS['with the optimiser'])).flatMap(({ notes }) => notes)).toEqual([])
    expect((await tracesOf(SETTINGS['via IR'])).map(({ notes }) => notes)).toEqual(CALLS.map(() => [note]))
  })
})
