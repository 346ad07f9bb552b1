/** Which contract a code is of: artifacts of each tool, immutables, libraries, metadata and clones. */
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import type { Hex } from '../../../src/base/types.ts'
import { readArtifacts } from '../../../src/inspect/explain/artifacts.ts'
import { delegateOf, Identifier } from '../../../src/inspect/explain/identify.ts'
import { Child, Council, Factory, Nest, Token } from '../../contracts/artifacts.ts'

const crypto = await loadCrypto()

/** The names of the contracts that the codes of artifacts are of. */
function namesOf(artifacts: unknown, codes: { runtime?: Hex; creation?: Hex }) {
  const identifier = new Identifier(readArtifacts(artifacts).contracts)
  const { runtime, creation } = codes
  const found = runtime
    ? identifier.runtime(hexToBytes(runtime), crypto.keccak256Hex(hexToBytes(runtime)))
    : identifier.creation(hexToBytes(creation!))
  return found && { name: found.contract.name, isExact: found.isExact }
}

const WORD = '00'.repeat(31)

describe('artifacts', () => {
  it('are read as modules of viem, by name', () => {
    expect(readArtifacts({ Token, Nest }).contracts.map(({ name }) => name)).toEqual(['Token', 'Nest'])
  })

  it('are read as bare ABIs, with the address of a viem contract', () => {
    const address = '0x00000000000000000000000000000000000000AA'
    const read = readArtifacts({ Token: Token.abi, other: { name: 'Other', abi: Nest.abi, address } })
    expect(read.contracts.map(({ name, address, runtime }) => ({ name, address, runtime }))).toEqual([
      { name: 'Token', address: undefined, runtime: undefined },
      { name: 'Other', address: address.toLowerCase(), runtime: undefined },
    ])
  })

  it('are read from files of Hardhat and Foundry', () => {
    const hardhat = {
      _format: 'hh-sol-artifact-1',
      contractName: 'Token',
      sourceName: 'contracts/Token.sol',
      abi: Token.abi,
      bytecode: Token.bytecode,
      deployedBytecode: Token.deployedBytecode,
      linkReferences: {},
      deployedLinkReferences: {},
      immutableReferences: { 7: [{ start: 40, length: 32 }] },
    }
    const foundry = {
      abi: Token.abi,
      bytecode: { object: Token.bytecode, sourceMap: '1:2:0', linkReferences: {} },
      deployedBytecode: {
        object: Token.deployedBytecode,
        sourceMap: '3:4:0',
        linkReferences: { 'src/L.sol': { L: [{ start: 5, length: 20 }] } },
        immutableReferences: {},
      },
      metadata: { settings: { compilationTarget: { 'src/Token.sol': 'Token' } } },
    }
    const read = readArtifacts([
      hardhat,
      { 'out/Token.sol/Token.json': foundry },
      { _format: 'hh-sol-dbg-1' },
    ])
    expect(
      read.contracts.map(({ name, source, creation, runtime }) => ({
        name,
        source,
        maps: [creation?.sourceMap, runtime?.sourceMap],
        immutables: runtime?.immutables,
        libraries: runtime?.libraries,
      })),
    ).toEqual([
      {
        name: 'Token',
        source: 'contracts/Token.sol',
        maps: [undefined, undefined],
        immutables: [{ start: 40, length: 32 }],
        libraries: [],
      },
      {
        name: 'Token',
        source: 'src/Token.sol',
        maps: ['1:2:0', '3:4:0'],
        immutables: [],
        libraries: [{ start: 5, length: 20 }],
      },
    ])
    expect(read.notes).toEqual([])
  })

  it('that cannot be used become notes', () => {
    const nested = { a: { b: { c: { d: { e: { f: { g: { h: { i: { j: 1 } } } } } } } } } }
    expect(readArtifacts({ Token, number: 5, text: 'abi', nested, nothing: null }).notes).toEqual([
      'artifact number is not used: it is neither an artifact, an ABI nor build info',
      'artifact text is not used: it is neither an artifact, an ABI nor build info',
      'artifact nested/a/b/c/d/e/f/g is not used: it is nested more than 8 levels deep',
      'artifact nothing is not used: it is neither an artifact, an ABI nor build info',
    ])
    const odd = { abi: [{ type: 'function', name: 'f', inputs: 'none' }, { no: 'type' }], bytecode: '0xabc' }
    expect(readArtifacts({ odd }).contracts).toEqual([{ name: 'odd', abi: [] }])
  })
})

describe('a code', () => {
  it('is identified by an artifact with the same code', () => {
    expect(namesOf({ Nest, Token }, { runtime: Token.deployedBytecode })).toEqual({
      name: 'Token',
      isExact: true,
    })
    expect(namesOf({ Nest, Token }, { creation: Nest.bytecode })).toEqual({ name: 'Nest', isExact: true })
    expect(namesOf({ Nest }, { runtime: Token.deployedBytecode })).toBeUndefined()
    expect(namesOf({ Nest }, { runtime: '0x' })).toBeUndefined()
  })

  it('is identified with any values of immutables, without their positions', () => {
    const zeros = `7f${'00'.repeat(32)}`
    expect(Council.deployedBytecode).toContain(zeros)
    const runtime = Council.deployedBytecode.replaceAll(zeros, `7f${'ab'.repeat(32)}`) as Hex
    expect(namesOf({ Factory, Council }, { runtime })).toEqual({ name: 'Council', isExact: true })
    const changed = runtime.replace('6080604052', '6080604051') as Hex
    expect(namesOf({ Council }, { runtime: changed })).toBeUndefined()
  })

  it.each([
    ['Token', Token],
    ['Nest', Nest],
    ['Council', Council],
    ['Factory', Factory],
  ])('of %s is identified by the creation code alone', (name, { abi, bytecode, deployedBytecode }) => {
    const others = { Token, Nest, Council, Factory, Child }
    const artifacts = Object.entries(others).map(([key, one]) => ({
      name: key,
      abi: [],
      bytecode: one.bytecode,
    }))
    const runtime = deployedBytecode.replaceAll(`7f${'00'.repeat(32)}`, `7f${'ab'.repeat(32)}`) as Hex
    expect(namesOf(artifacts, { runtime })).toEqual({ name, isExact: true })
    expect(namesOf({ [name]: { abi, bytecode } }, { runtime: Child.deployedBytecode })).toBeUndefined()
  })

  it('is identified with arguments of the constructor after it', () => {
    const creation = `${Council.bytecode}${WORD}01${WORD}02` as Hex
    expect(namesOf({ Token, Council }, { creation })).toEqual({ name: 'Council', isExact: true })
  })
})

describe('a code of solc with metadata and a library', () => {
  const content = (comment: string) => `// ${comment}
    pragma solidity ^0.8.20;
    library Maths { function twice(uint256 x) external pure returns (uint256) { return 2 * x; } }
    contract Child { uint256 public n = 1; }
    contract User {
      uint256 immutable start; uint8 immutable small;
      constructor(uint256 s) { start = s; small = 3; }
      function run(uint256 x) external returns (uint256) { new Child(); return Maths.twice(x) + start + small; }
    }`
  const first = compile(content('one'))
  const second = compile(content('two'))
  const { User, Maths } = second.output.contracts['User.sol']!
  const link = (object: string) => `0x${object.replace(/__.{36}__/g, 'c0'.repeat(20))}` as Hex

  it('is identified with a linked library and other immutables', () => {
    const runtime = link(User!.evm.deployedBytecode.object)
    const references = Object.values(User!.evm.deployedBytecode.immutableReferences).flat()
    expect(references.length).toBeGreaterThan(1)
    let set = runtime as string
    for (const { start, length } of references) {
      const at = 2 + 2 * start
      set = set.slice(0, at) + '5a'.repeat(length) + set.slice(at + 2 * length)
    }
    expect(namesOf(second, { runtime: set as Hex })).toEqual({ name: 'User', isExact: true })
    expect(namesOf(second, { creation: `${link(User!.evm.bytecode.object)}${WORD}07` })).toEqual({
      name: 'User',
      isExact: true,
    })
  })

  it('is identified as similar if the metadata differs, also that of codes within it', () => {
    expect(namesOf(first, { runtime: link(User!.evm.deployedBytecode.object) })).toEqual({
      name: 'User',
      isExact: false,
    })
    expect(namesOf(first, { creation: `${link(User!.evm.bytecode.object)}${WORD}07` })).toEqual({
      name: 'User',
      isExact: false,
    })
  })

  it('is identified if it is a library, which has its own address', () => {
    const object = Maths!.evm.deployedBytecode.object
    const runtime = `0x73${'1b'.repeat(20)}${object.slice(42)}` as Hex
    expect(namesOf(second, { runtime })).toEqual({ name: 'Maths', isExact: true })
  })

  it('keeps source maps, immutables and the build info', () => {
    const user = readArtifacts(second).contracts.find(({ name }) => name === 'User')!
    expect(user.source).toBe('User.sol')
    expect(user.runtime?.sourceMap).toBe(User!.evm.deployedBytecode.sourceMap)
    expect(user.creation?.sourceMap).toBe(User!.evm.bytecode.sourceMap)
    expect(user.runtime?.immutables?.length).toBeGreaterThan(1)
    expect(user.build).toBe(second)
  })
})

describe('a short code', () => {
  it.each<readonly [string, string, string]>([
    ['a clone of EIP-1167', '363d3d373d3d3d363d73ADDRESS5af43d82803e903d91602b57fd5bf3', 'clone'],
    ['a clone with PUSH0', '365f5f375f5f365f73ADDRESS5af43d5f5f3e5f3d91602a57fd5bf3', 'clone'],
    ['an account delegated by EIP-7702', 'ef0100ADDRESS', 'delegated'],
  ])('is recognised as %s', (_name, form, kind) => {
    const to = `0x${'0a'.repeat(20)}`
    expect(delegateOf(hexToBytes(`0x${form.replace('ADDRESS', to.slice(2))}`))).toEqual({ kind, to })
  })

  it('of another form is recognised as neither', () => {
    expect(delegateOf(hexToBytes(Nest.deployedBytecode))).toBeUndefined()
    expect(delegateOf(hexToBytes(`0x${'5b'.repeat(45)}`))).toBeUndefined()
  })
})

interface Code {
  readonly object: string
  readonly sourceMap: string
  readonly immutableReferences: Record<string, { start: number; length: number }[]>
}

/** Build info of one source. */
function compile(content: string) {
  const { compile } = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const input = {
    language: 'Solidity',
    sources: { 'User.sol': { content } },
    settings: { evmVersion: 'paris', outputSelection: { '*': { '*': ['abi', 'evm'], '': ['ast'] } } },
  }
  const output = JSON.parse(compile(JSON.stringify(input))) as {
    contracts: Record<
      string,
      Record<string, { abi: unknown; evm: { bytecode: Code; deployedBytecode: Code } }>
    >
  }
  return { input, output }
}
