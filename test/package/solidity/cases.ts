/**
 * Small contracts that fail, one for each cause. The innermost line of the trace is the one that ends with `//!`.
 *
 * `$ctor(…)$pub`, `$fallback` and `$receive` are written as each compiler requires it.
 */
import type { SolidityCause } from '../../../src/base/solidityTrace.ts'

/** A contract and a transaction that fails. */
export interface Case {
  readonly name: string
  readonly cause: SolidityCause
  readonly source: string
  /** Calldata after the selector of the function; by default none. */
  readonly args?: string
  /** By default `f`. */
  readonly call?: string
  /** Calldata instead of a call of a function. */
  readonly data?: string
  readonly value?: bigint
  readonly gas?: bigint
  /** Words after the creation code. */
  readonly creationArgs?: string
  /** Whether the creation fails. */
  readonly isCreation?: boolean
  /** The compilers that accept it, as minor versions; by default 5 to 8. */
  readonly from?: number
  readonly until?: number
  /** The kind of the cause if compilers before 0.8 have another one. */
  readonly before8?: SolidityCause
  /** Libraries that are linked. */
  readonly libraries?: readonly string[]
}

const word = (value: number): string => value.toString(16).padStart(64, '0')
/** An account without code. */
const NOBODY = 'address(0x1234567890123456789012345678901234567890)'

/** A contract with one function. Its optimiser cannot know what it reads, so it does not leave out what would fail. */
const inFunction = (body: string, parameters = '', visibility = 'public'): string => `
contract C {
  event Begun();
  uint256 total;
  uint256[] list;
  function f(${parameters}) ${visibility} {
    emit Begun();
${body}
    total = 2;
  }
}`

export const CASES: readonly Case[] = [
  // require and revert
  { name: 'requireReason', cause: 'reason', source: inFunction('    require(total > 5, "too low"); //!') },
  { name: 'requireNoReason', cause: 'no reason', source: inFunction('    require(total > 5); //!') },
  {
    name: 'requireTwo',
    cause: 'reason',
    source: inFunction('    require(total < 5, "high");\n    require(total > 5, "low"); //!'),
  },
  {
    name: 'requireTwoSame',
    cause: 'reason',
    source: inFunction('    require(total < 5, "low");\n    require(total > 5, "low"); //!'),
  },
  {
    name: 'requireTwoEmpty',
    cause: 'no reason',
    source: inFunction('    require(total < 5);\n    require(total > 5); //!'),
  },
  { name: 'revertReason', cause: 'reason', source: inFunction('    if (total < 5) revert("stop"); //!') },
  { name: 'revertNoReason', cause: 'no reason', source: inFunction('    if (total < 5) revert(); //!') },
  {
    name: 'requireArgument',
    cause: 'reason',
    source: inFunction('    require(x > 5, "too low"); //!', 'uint256 x'),
    args: word(3),
  },
  {
    name: 'longReason',
    cause: 'reason',
    source: inFunction(`    require(total > 5, "${'long '.repeat(40)}"); //!`),
  },
  {
    name: 'requireDynamicReason',
    cause: 'reason',
    source: inFunction('    require(total > 5, why); //!', 'string memory why'),
    args: word(32) + word(3) + '616263'.padEnd(64, '0'),
  },
  {
    name: 'requireInLoop',
    cause: 'reason',
    source: inFunction(
      '    for (uint256 i = 0; i < 10; i++) {\n      total += i;\n      require(i < 5, "five"); //!\n    }',
    ),
  },
  {
    name: 'requireInBranch',
    cause: 'reason',
    source: inFunction(
      '    if (total > 5) {\n      require(total > 9, "nine");\n    } else {\n      require(total > 7, "seven"); //!\n    }',
    ),
  },
  {
    name: 'requireMultiline',
    cause: 'reason',
    source: inFunction('    require( //!\n      total > 5,\n      "too low"\n    );'),
  },
  {
    name: 'utf8',
    cause: 'reason',
    source: inFunction('    /* žluťoučký 🦄 kůň */ require(total > 5, "too low"); // ěšč //!'),
  },
  // custom errors
  {
    name: 'customError',
    cause: 'custom error',
    source: `error TooLow(uint256 have);${inFunction('    if (total < 5) revert TooLow(total); //!')}`,
    from: 8,
  },
  {
    name: 'customErrorEmpty',
    cause: 'custom error',
    source: `error Stop();${inFunction('    if (total < 5) revert Stop(); //!')}`,
    from: 8,
  },
  {
    name: 'customErrorString',
    cause: 'custom error',
    source: `error Stop(string why, address who);${inFunction('    if (total < 5) revert Stop("why", msg.sender); //!')}`,
    from: 8,
  },
  {
    name: 'customErrorOfContract',
    cause: 'custom error',
    source: `contract E { error Mine(uint8 a); }\ncontract C is E {\n  function f() public pure {\n    revert Mine(3); //!\n  }\n}`,
    from: 8,
  },
  {
    name: 'requireCustomError',
    cause: 'custom error',
    source: `error Stop(uint256 a);${inFunction('    require(total > 5, Stop(total)); //!')}`,
    from: 8,
  },
  // panics
  {
    name: 'assert',
    cause: 'panic',
    before8: 'invalid opcode',
    source: inFunction('    assert(total > 5); //!'),
  },
  {
    name: 'overflow',
    cause: 'panic',
    source: inFunction('    total = x + x; //!', 'uint256 x'),
    args: 'f'.repeat(64),
    from: 8,
  },
  {
    name: 'underflow',
    cause: 'panic',
    source: inFunction('    total -= x; //!', 'uint256 x'),
    args: word(9),
    from: 8,
  },
  {
    name: 'multiply',
    cause: 'panic',
    source: inFunction('    total = (x + 1) * x; //!', 'uint256 x'),
    args: `0${'f'.repeat(63)}`,
    from: 8,
  },
  {
    name: 'increment',
    cause: 'panic',
    source: inFunction('    x++; //!\n    total = x;', 'uint8 x'),
    args: word(255),
    from: 8,
  },
  {
    name: 'overflowTwo',
    cause: 'panic',
    source: inFunction('    total = total + 5;\n    total = total + x; //!', 'uint256 x'),
    args: 'f'.repeat(64),
    from: 8,
  },
  {
    name: 'divide',
    cause: 'panic',
    before8: 'invalid opcode',
    source: inFunction('    total = 7 / x; //!', 'uint256 x'),
    args: word(0),
  },
  {
    name: 'modulo',
    cause: 'panic',
    before8: 'invalid opcode',
    source: inFunction('    total = 7 % x; //!', 'uint256 x'),
    args: word(0),
  },
  {
    name: 'index',
    cause: 'panic',
    before8: 'invalid opcode',
    source: inFunction('    list.push(1);\n    total = list[x]; //!', 'uint256 x'),
    args: word(4),
  },
  {
    name: 'indexMemory',
    cause: 'panic',
    before8: 'invalid opcode',
    source: inFunction(
      '    uint256[] memory m = new uint256[](2);\n    m[x] = 5; //!\n    total = m[0];',
      'uint256 x',
    ),
    args: word(4),
  },
  {
    name: 'indexFixed',
    cause: 'panic',
    before8: 'invalid opcode',
    source: inFunction('    uint256[3] memory m;\n    total = m[x]; //!', 'uint256 x'),
    args: word(4),
  },
  { name: 'pop', cause: 'panic', before8: 'invalid opcode', source: inFunction('    list.pop(); //!') },
  {
    name: 'enum',
    cause: 'panic',
    before8: 'invalid opcode',
    source: `contract C {\n  enum E { A, B }\n  E e;\n  function f(uint8 x) public {\n    e = E(x); //!\n  }\n}`,
    args: word(4),
  },
  {
    name: 'allocate',
    cause: 'panic',
    source: inFunction('    uint256[] memory m = new uint256[](x); //!\n    total = m.length;', 'uint256 x'),
    args: 'f'.repeat(64),
    from: 8,
  },
  {
    name: 'zeroFunction',
    cause: 'panic',
    before8: 'invalid opcode',
    source: `contract C {\n  uint256 total;\n  function f() public {\n    function () internal g;\n    total = 1;\n    g(); //!\n  }\n}`,
  },
  // calls
  {
    name: 'noContract',
    cause: 'no contract',
    source: `interface I { function g() external; }\ncontract C {\n  uint256 total;\n  function f() public {\n    total = 1;\n    I(${NOBODY}).g(); //!\n    total = 2;\n  }\n}`,
  },
  {
    name: 'noContractResult',
    cause: 'no contract',
    source: `interface I { function g() external returns (uint256); }\ncontract C {\n  uint256 total;\n  function f() public {\n    total = I(${NOBODY}).g(); //!\n  }\n}`,
  },
  {
    name: 'shortResult',
    cause: 'unexpected return data',
    source: `interface I { function g() external returns (uint256); }\ncontract D { function g() external {} }\ncontract C {\n  uint256 total;\n  function f() public {\n    D d = new D();\n    total = I(address(d)).g(); //!\n  }\n}`,
  },
  {
    name: 'missingFunction',
    cause: 'unknown function',
    source: `contract C { //!\n  function f() public {}\n}`,
    data: '0x12345678',
  },
  {
    name: 'missingFunctionOfOther',
    cause: 'unknown function',
    source: `interface I { function g() external; }\ncontract D { //!\n  function h() external {}\n}\ncontract C {\n  function f() public {\n    D d = new D();\n    I(address(d)).g();\n  }\n}`,
  },
  {
    name: 'noReceive',
    cause: 'unknown function',
    source: `contract C { //!\n  function f() public {}\n}`,
    data: '0x',
    value: 1n,
  },
  {
    name: 'noFallback',
    cause: 'unknown function',
    source: `contract C { //!\n  function f() public {}\n  receive() external payable {}\n}`,
    data: '0x12345678',
    from: 6,
  },
  {
    name: 'shortSelector',
    cause: 'unknown function',
    source: `contract C { //!\n  function f() public {}\n}`,
    data: '0x1234',
  },
  {
    name: 'notPayable',
    cause: 'not payable',
    source: `contract C {\n  uint256 total;\n  function f() public { //!\n    total = 1;\n  }\n}`,
    value: 1n,
  },
  {
    name: 'notPayableFallback',
    cause: 'not payable',
    source: `contract C {\n  uint256 total;\n  $fallback external { //!\n    total = 1;\n  }\n}`,
    data: '0x12345678',
    value: 1n,
  },
  {
    name: 'notPayableInherited',
    cause: 'not payable',
    source: `contract B {\n  uint256 total;\n  function f() public { //!\n    total = 1;\n  }\n}\ncontract C is B {\n  function g() public { total = 3; }\n}`,
    value: 1n,
  },
  {
    name: 'shortArguments',
    cause: 'invalid arguments',
    source: `contract C {\n  uint256 total;\n  function f(uint256 a, uint256 b) public { //!\n    total = a + b;\n  }\n}`,
    args: word(1),
  },
  {
    name: 'dirtyArguments',
    cause: 'invalid arguments',
    source: `contract C {\n  address who;\n  function f(address a) public { //!\n    who = a;\n  }\n}`,
    args: 'f'.repeat(64),
    from: 8,
  },
  {
    name: 'directLibrary',
    cause: 'direct call of a library',
    source: `library C {\n  struct S { uint256 a; }\n  function f(S storage s) public { //!\n    s.a = 1;\n  }\n}`,
    data: '0xlibrary',
    args: word(1),
  },
  {
    name: 'callReverts',
    cause: 'reason',
    source: `contract D {\n  uint256 total;\n  function g(uint256 x) external {\n    require(x > 5, "low"); //!\n    total = x;\n  }\n}\ncontract C {\n  function f() public {\n    D d = new D();\n    d.g(3);\n  }\n}`,
  },
  {
    name: 'callRevertsEmpty',
    cause: 'no reason',
    source: `contract D {\n  uint256 total;\n  function g(uint256 x) external {\n    require(x > 5); //!\n    total = x;\n  }\n}\ncontract C {\n  function f() public {\n    D d = new D();\n    d.g(3);\n  }\n}`,
  },
  {
    name: 'lowLevelCall',
    cause: 'reason',
    source: `contract D {\n  function g() external pure {\n    revert("inner");\n  }\n}\ncontract C {\n  function f() public {\n    D d = new D();\n    (bool ok, ) = address(d).call(abi.encodeWithSignature("g()"));\n    require(ok, "outer"); //!\n  }\n}`,
  },
  {
    name: 'tryCatch',
    cause: 'reason',
    source: `contract D {\n  function g() external pure {\n    revert("inner");\n  }\n}\ncontract C {\n  function f() public {\n    D d = new D();\n    try d.g() {} catch {\n      revert("caught"); //!\n    }\n  }\n}`,
    from: 6,
  },
  {
    name: 'transferWithoutFunds',
    cause: 'failed call',
    source: `contract C {\n  function f() public {\n    msg.sender.transfer(5); //!\n  }\n}`,
    until: 7,
  },
  {
    name: 'transferWithoutFunds8',
    cause: 'failed call',
    source: `contract C {\n  function f() public {\n    payable(msg.sender).transfer(5); //!\n  }\n}`,
    from: 8,
  },
  {
    name: 'staticWrite',
    cause: 'other',
    source: `interface I { function g() external view returns (uint256); }\ncontract D {\n  uint256 total;\n  function g() external returns (uint256) {\n    total = 5; //!\n    return 1;\n  }\n}\ncontract C {\n  uint256 total;\n  function f() public {\n    D d = new D();\n    total = I(address(d)).g();\n  }\n}`,
  },
  // gas and opcodes
  {
    name: 'outOfGas',
    cause: 'out of gas',
    source: inFunction('    while (true) total += 1; //!').replace('\n    total = 2;', ''),
    gas: 200_000n,
  },
  {
    name: 'invalidOpcode',
    cause: 'invalid opcode',
    source: inFunction('    assembly { invalid() } //!').replace('\n    total = 2;', ''),
  },
  {
    name: 'assemblyRevert',
    cause: 'no reason',
    source: inFunction('    assembly { revert(0, 0) } //!').replace('\n    total = 2;', ''),
  },
  // within a contract
  {
    name: 'internal',
    cause: 'reason',
    source: `contract C {\n  uint256 total = 7;\n  function check(uint256 x) internal view {\n    require(x > total, "low"); //!\n  }\n  function f() public {\n    check(3);\n    total = 8;\n  }\n}`,
  },
  {
    name: 'internalTwice',
    cause: 'reason',
    source: `contract C {\n  event Begun();\n  uint256 total = 7;\n  function check(uint256 x) internal view {\n    require(x > total, "low"); //!\n  }\n  function both(uint256 x) private {\n    emit Begun();\n    check(x);\n    check(x);\n  }\n  function f() public {\n    both(3);\n    both(4);\n  }\n}`,
  },
  {
    name: 'recursive',
    cause: 'reason',
    source: `contract C {\n  uint256 total = 7;\n  function down(uint256 x) internal {\n    total += x;\n    require(x > 0, "bottom"); //!\n    down(x - 1);\n  }\n  function f() public {\n    down(total);\n  }\n}`,
  },
  {
    name: 'tiny',
    cause: 'reason',
    source: `contract C {\n  uint256 total = 7;\n  function check(uint256 x) internal pure returns (uint256) {\n    require(x > 5, "low"); //!\n    return x;\n  }\n  function f(uint256 x) public {\n    total = check(x);\n  }\n}`,
    args: word(1),
  },
  {
    name: 'overflowInternal',
    cause: 'panic',
    source: `contract C {\n  uint256 total = 7;\n  function add(uint256 a, uint256 b) internal pure returns (uint256) {\n    return a + b; //!\n  }\n  function f(uint256 x) public {\n    total = add(x, 5);\n  }\n}`,
    args: 'f'.repeat(64),
    from: 8,
  },
  {
    name: 'freeFunction',
    cause: 'reason',
    source: `function check(uint256 x) pure {\n  require(x > 5, "low"); //!\n}\ncontract C {\n  event Begun();\n  uint256 total = 7;\n  function f(uint256 x) public {\n    emit Begun();\n    check(x);\n    total = x;\n  }\n}`,
    args: word(1),
    from: 8,
  },
  {
    name: 'inherited',
    cause: 'reason',
    source: `contract B {\n  uint256 total = 7;\n  function check(uint256 x) internal view {\n    require(x > total, "low"); //!\n  }\n}\ncontract C is B {\n  function f() public {\n    check(3);\n  }\n}`,
  },
  {
    name: 'superCall',
    cause: 'reason',
    source: `contract B {\n  uint256 total = 7;\n  function f() public $virtual {\n    require(total > 9, "low"); //!\n  }\n}\ncontract C is B {\n  event Begun();\n  function f() public $override {\n    emit Begun();\n    super.f();\n  }\n}`,
  },
  {
    name: 'modifierBefore',
    cause: 'reason',
    source: `contract C {\n  uint256 total = 7;\n  modifier atLeast(uint256 x) {\n    require(total > x, "low"); //!\n    _;\n  }\n  function f() public atLeast(50) {\n    total = 8;\n  }\n}`,
  },
  {
    name: 'modifierAfter',
    cause: 'reason',
    source: `contract C {\n  uint256 total = 7;\n  modifier atLeast(uint256 x) {\n    _;\n    require(total > x, "low"); //!\n  }\n  function f() public atLeast(900) {\n    total += 8;\n  }\n}`,
  },
  {
    name: 'bodyInModifier',
    cause: 'reason',
    source: `contract C {\n  uint256 total = 7;\n  modifier once() {\n    total += 1;\n    _;\n    total += 1;\n  }\n  function f() public once {\n    require(total > 80, "low"); //!\n  }\n}`,
  },
  {
    name: 'modifierTwo',
    cause: 'reason',
    source: `contract C {\n  uint256 total = 7;\n  modifier one() {\n    require(total < 80, "high");\n    _;\n  }\n  modifier two() {\n    require(total > 80, "low"); //!\n    _;\n  }\n  function f() public one two {\n    total = 9;\n  }\n}`,
  },
  {
    name: 'fallbackReverts',
    cause: 'reason',
    source: `contract C {\n  $fallback external {\n    revert("fallback"); //!\n  }\n}`,
    data: '0x12345678',
  },
  {
    name: 'receiveReverts',
    cause: 'reason',
    source: `contract C {\n  $receive external payable {\n    revert("receive"); //!\n  }\n}`,
    data: '0x',
    value: 1n,
  },
  {
    name: 'getter',
    cause: 'no reason',
    source: `contract C {\n  uint256[] public items; //!\n}`,
    call: 'items',
    args: word(3),
    from: 7,
    until: 8,
  },
  // libraries
  {
    name: 'libraryInternal',
    cause: 'reason',
    source: `library L {\n  function check(uint256 x) internal pure returns (uint256) {\n    require(x > 5, "low"); //!\n    return x + 1;\n  }\n}\ncontract C {\n  using L for uint256;\n  uint256 total = 7;\n  function f(uint256 x) public {\n    total = x.check();\n  }\n}`,
    args: word(1),
  },
  {
    name: 'libraryLinked',
    cause: 'reason',
    source: `library L {\n  function check(uint256 x) public pure returns (uint256) {\n    require(x > 5, "low"); //!\n    return x + 1;\n  }\n}\ncontract C {\n  uint256 total = 7;\n  function f(uint256 x) public {\n    total = L.check(x);\n  }\n}`,
    args: word(1),
    libraries: ['L'],
  },
  {
    name: 'libraryStorage',
    cause: 'reason',
    source: `library L {\n  struct S { uint256 a; }\n  function check(S storage s) public {\n    require(s.a > 5, "low"); //!\n  }\n}\ncontract C {\n  L.S s;\n  function f() public {\n    L.check(s);\n  }\n}`,
    libraries: ['L'],
  },
  {
    name: 'immutable',
    cause: 'reason',
    source: `contract C {\n  uint256 immutable limit;\n  uint256 total = 7;\n  $ctor(uint256 x) $pub {\n    limit = x;\n  }\n  function f() public {\n    require(total > limit, "low"); //!\n  }\n}`,
    creationArgs: word(9),
    from: 7,
  },
  // creations
  {
    name: 'constructorReverts',
    cause: 'reason',
    isCreation: true,
    source: `contract C {\n  uint256 total;\n  $ctor() $pub {\n    total = 3;\n    require(block.number > 1e9, "low"); //!\n  }\n}`,
  },
  {
    name: 'constructorArgument',
    cause: 'reason',
    isCreation: true,
    source: `contract C {\n  uint256 total;\n  $ctor(uint256 x) $pub {\n    require(x > 5, "low"); //!\n    total = x;\n  }\n}`,
    creationArgs: word(3),
  },
  {
    name: 'constructorNotPayable',
    cause: 'not payable',
    isCreation: true,
    value: 1n,
    source: `contract C {\n  uint256 total;\n  $ctor() $pub { //!\n    total = 3;\n  }\n}`,
  },
  {
    name: 'noConstructorNotPayable',
    cause: 'not payable',
    isCreation: true,
    value: 1n,
    source: `contract C { //!\n  uint256 total;\n  function f() public { total = 3; }\n}`,
  },
  {
    name: 'constructorShort',
    cause: 'invalid arguments',
    isCreation: true,
    source: `contract C {\n  uint256 total;\n  $ctor(uint256 x) $pub { //!\n    total = x;\n  }\n}`,
  },
  {
    name: 'baseConstructor',
    cause: 'reason',
    isCreation: true,
    source: `contract B {\n  uint256 total;\n  $ctor(uint256 x) $pub {\n    total = x;\n    require(block.number > 1e9, "low"); //!\n  }\n}\ncontract C is B {\n  $ctor() B(3) $pub {\n    total += 1;\n  }\n}`,
  },
  {
    name: 'constructorInternal',
    cause: 'reason',
    isCreation: true,
    source: `contract C {\n  uint256 total;\n  $ctor() $pub {\n    total = 3;\n    check();\n  }\n  function check() internal view {\n    require(block.number > 1e9, "low"); //!\n  }\n}`,
  },
  {
    name: 'createdReverts',
    cause: 'reason',
    source: `contract D {\n  uint256 total;\n  $ctor(uint256 x) $pub {\n    require(x > 1e9, "low"); //!\n    total = x;\n  }\n}\ncontract C {\n  D d;\n  function f() public {\n    d = new D(block.number);\n  }\n}`,
  },
  {
    name: 'initialValue',
    cause: 'panic',
    before8: 'invalid opcode',
    isCreation: true,
    source: `contract C {\n  uint256 zero;\n  uint256 total = one() / zero; //!\n  function one() internal pure returns (uint256) { return 1; }\n}`,
  },
]

const KEYWORDS: Readonly<Record<string, (minor: number) => string>> = {
  $ctor: () => 'constructor',
  $pub: (minor) => (minor < 7 ? 'public' : ''),
  $fallback: (minor) => (minor < 6 ? 'function ()' : 'fallback()'),
  $receive: (minor) => (minor < 6 ? 'function ()' : 'receive()'),
  $virtual: (minor) => (minor < 6 ? '' : 'virtual'),
  $override: (minor) => (minor < 6 ? '' : 'override'),
}

/** The source of a case for a compiler; undefined if that does not accept it. */
export function sourceFor({ source, from = 5, until = 8 }: Case, minor: number): string | undefined {
  if (minor < from || minor > until) return undefined
  return source.trim().replace(/\$\w+/g, (keyword) => KEYWORDS[keyword]?.(minor) ?? keyword)
}

/** The line that a trace of the case begins with, from 1. */
export function lineOf(source: string): number {
  return source.split('\n').findIndex((line) => line.includes('//!')) + 1
}
