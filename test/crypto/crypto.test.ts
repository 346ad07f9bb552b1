import type { CustomCrypto } from '@ethereumjs/common'
import { createTx } from '@ethereumjs/tx'
import { ecrecover, SECP256K1_ORDER } from '@ethereumjs/util'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import * as fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Crypto } from '../../src/crypto/crypto.ts'
import { commonOf } from '../../src/evm/ethereumjs/common.ts'
import {
  bigintToBytes,
  bigintToBytes32,
  bytesToBigint,
  bytesToHex,
  hexToBytes,
} from '../../src/primitives/bytes.ts'
import { createChainRules, hardforkConfig } from '../../src/protocol/rules.ts'

/** The crypto in the form of @ethereumjs. */
function custom(crypto: Crypto): Required<CustomCrypto> {
  const genesis = { config: hardforkConfig(1, 'prague'), alloc: {}, gasLimit: '0x1c9c380' }
  return commonOf(createChainRules(genesis).at(0n, 0n), crypto).customCrypto as Required<CustomCrypto>
}

type Module = typeof import('../../src/crypto/crypto.ts')

let modules = 0

/** A new instance of the module, with nothing loaded. Browsers cache modules by URL, so each has its own. */
function freshModule(): Promise<Module> {
  return import(/* @vite-ignore */ `../../src/crypto/crypto.ts?fresh=${modules++}`)
}

/** An environment that refuses WebAssembly, as a content security policy without `wasm-unsafe-eval` does. */
function refuseWebAssembly() {
  const reason = new Error('refused to compile WebAssembly')
  const refuse = vi.fn(() => Promise.reject(reason))
  const refusing = { compile: refuse, instantiate: refuse }
  vi.stubGlobal('WebAssembly', Object.assign(Object.create(Reflect.get(globalThis, 'WebAssembly')), refusing))
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  return { reason, refuse, warn }
}

describe('crypto', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 })
  const privateKeys = fc.bigInt({ min: 1n, max: SECP256K1_ORDER - 1n }).map(bigintToBytes32)
  const scalars = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    fc.constantFrom(
      0n,
      1n,
      SECP256K1_ORDER / 2n,
      SECP256K1_ORDER / 2n + 1n,
      SECP256K1_ORDER - 1n,
      SECP256K1_ORDER,
    ),
  )

  /** keccak256('') and keccak256('abc'). */
  const knownHashes = {
    '': '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    abc: '0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45',
  }

  const variants: { name: string; load: () => Promise<Crypto> }[] = [
    {
      name: 'WebAssembly',
      load: async () => {
        const { loadCrypto, loadSecp256k1 } = await freshModule()
        await loadSecp256k1()
        return loadCrypto()
      },
    },
    { name: 'WebAssembly for keccak256 only', load: async () => (await freshModule()).loadCrypto() },
    {
      name: 'JavaScript, WebAssembly refused',
      load: async () => {
        refuseWebAssembly()
        const { loadCrypto, loadSecp256k1 } = await freshModule()
        await loadSecp256k1()
        return loadCrypto()
      },
    },
  ]

  describe.each(variants)('$name', ({ load }) => {
    let crypto: Crypto
    beforeAll(async () => {
      crypto = await load()
      vi.unstubAllGlobals()
    })

    test('keccak256 returns known hashes', () => {
      for (const [text, hash] of Object.entries(knownHashes)) {
        expect(crypto.keccak256Hex(new TextEncoder().encode(text))).toBe(hash)
      }
    })

    test('keccak256 of any bytes equals noble', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
          const hash = crypto.keccak256(bytes)
          expect(hash).toEqual(keccak_256(bytes))
          expect(crypto.keccak256Hex(bytes)).toBe(bytesToHex(hash))
          expect(custom(crypto).keccak256(bytes)).toEqual(hash)
        }),
      )
    })

    test('keccak256 takes inputs longer than its buffer', () => {
      const bytes = Uint8Array.from({ length: 40_000 }, (_, i) => (i * 31) & 0xff)
      expect(crypto.keccak256(bytes)).toEqual(keccak_256(bytes))
    })

    test('a hash owns its buffer, which later hashes do not change', () => {
      const first = crypto.keccak256(Uint8Array.of(1))
      crypto.keccak256(Uint8Array.of(2))
      expect(new Uint8Array(first.buffer)).toEqual(keccak_256(Uint8Array.of(1)))
      expect(first.byteOffset).toBe(0)
    })

    test('signatures equal noble, and recover to the signer', () => {
      fc.assert(
        fc.property(hashes, privateKeys, (hash, privateKey) => {
          const expected = secp256k1.Signature.fromBytes(
            secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered' }),
            'recovered',
          )
          const { r, s, yParity } = crypto.sign(hash, privateKey)
          expect({ r, s, yParity }).toEqual({ r: expected.r, s: expected.s, yParity: expected.recovery })
          const publicKey = secp256k1.getPublicKey(privateKey, false).slice(1)
          expect(crypto.publicKey(privateKey)).toEqual(publicKey)
          expect(crypto.recover(hash, r, s, yParity)).toEqual(publicKey)
          expect(crypto.addressOf(publicKey)).toBe(bytesToHex(keccak_256(publicKey).slice(12)))
        }),
        { numRuns: 25 },
      )
    })

    test('a public key owns its buffer, which later calls do not change', () => {
      const key = crypto.publicKey(bigintToBytes32(1n))
      crypto.publicKey(bigintToBytes32(2n))
      expect(new Uint8Array(key.buffer)).toEqual(secp256k1.Point.BASE.toBytes(false).slice(1))
    })

    test('the address of key 1 is the known one', () => {
      expect(crypto.addressOf(crypto.publicKey(bigintToBytes32(1n)))).toBe(
        '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf',
      )
    })

    test('signatures recover as in @ethereumjs, with s in either half', () => {
      const attempt = (recover: () => Uint8Array) => {
        try {
          return recover()
        } catch {
          return 'refused'
        }
      }
      fc.assert(
        fc.property(hashes, scalars, scalars, fc.constantFrom(0n, 1n, 27n, 28n), (hash, r, s, v) => {
          const args = [hash, v, bigintToBytes(r), bigintToBytes(s)] as const
          expect(attempt(() => custom(crypto).ecrecover(...args))).toEqual(attempt(() => ecrecover(...args)))
        }),
        { numRuns: 60 },
      )
    })

    test('recovery takes the parity from v of EIP-155', () => {
      const hash = keccak_256(Uint8Array.of(7))
      const key = bigintToBytes32(9n)
      const { r, s, yParity } = crypto.sign(hash, key)
      const v = BigInt(yParity) + 35n + 2n * 31337n
      expect(custom(crypto).ecrecover(hash, v, bigintToBytes(r), bigintToBytes(s), 31337n)).toEqual(
        crypto.publicKey(key),
      )
      expect(() => custom(crypto).ecrecover(hash, v, bigintToBytes(r), bigintToBytes(s), 1n)).toThrow(
        'invalid sender',
      )
    })

    test('signatures that are out of range, malleated or of no key are refused', () => {
      const hash = keccak_256(Uint8Array.of(1))
      const { r, s, yParity } = crypto.sign(hash, bigintToBytes32(5n))
      const bad: [bigint, bigint, number][] = [
        [0n, s, yParity],
        [r, 0n, yParity],
        [-1n, s, yParity],
        [SECP256K1_ORDER, s, yParity],
        [r + 2n ** 256n, s, yParity],
        [r, SECP256K1_ORDER - s, 1 - yParity],
        [r, SECP256K1_ORDER, yParity],
        [r, s, 2],
        [r, s, 27],
        // No point of the curve has x = 5.
        [5n, s, 0],
      ]
      for (const [badR, badS, badParity] of bad) {
        expect(() => crypto.recover(hash, badR, badS, badParity)).toThrow('invalid sender')
      }
      expect(() => crypto.recover(hash.slice(1), r, s, yParity)).toThrow('invalid hash: expected 32 bytes')
    })

    test('an s at the upper end of the lower half is accepted', () => {
      const hash = keccak_256(Uint8Array.of(1))
      const half = SECP256K1_ORDER >> 1n
      const expected = new secp256k1.Signature(1n, half, 0).recoverPublicKey(hash).toBytes(false).slice(1)
      expect(crypto.recover(hash, 1n, half, 0)).toEqual(expected)
      expect(() => crypto.recover(hash, 1n, half + 1n, 0)).toThrow('invalid sender')
    })

    test('keys out of range are refused', () => {
      const hash = keccak_256(Uint8Array.of(1))
      const bad = [
        new Uint8Array(32),
        bigintToBytes32(SECP256K1_ORDER),
        new Uint8Array(31).fill(1),
        new Uint8Array(33).fill(1),
      ]
      for (const key of bad) {
        expect(() => crypto.sign(hash, key)).toThrow('invalid private key')
        expect(() => crypto.publicKey(key)).toThrow('invalid private key')
      }
      expect(() => crypto.sign(hash.slice(1), bigintToBytes32(1n))).toThrow('invalid hash: expected 32 bytes')
    })

    test('an @ethereumjs transaction signed through it is the same every time', async () => {
      const { Common, Hardfork, Mainnet } = await import('@ethereumjs/common')
      const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague, customCrypto: custom(crypto) })
      const unsigned = createTx({ type: 2, chainId: 1, gasLimit: 21_000, maxFeePerGas: 7 }, { common })
      const [one, two] = [unsigned.sign(bigintToBytes32(1n)), unsigned.sign(bigintToBytes32(1n))]
      expect(bytesToHex(one.hash())).toBe(
        '0x3b6180c80c0a6f667d0319074cd6800e796e2b14e1f8d53da6edb52d461e1848',
      )
      expect(one.serialize()).toEqual(two.serialize())
      expect(one.getSenderAddress().toString()).toBe('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf')
    })

    test('noble signs with options that @ethereumjs does not use', () => {
      const message = Uint8Array.of(1, 2, 3)
      const key = bigintToBytes32(3n)
      const entropy = {
        prehash: false,
        format: 'recovered',
        extraEntropy: new Uint8Array(32).fill(1),
      } as const
      expect(custom(crypto).ecsign(message, key)).toEqual(secp256k1.sign(message, key))
      expect(custom(crypto).ecsign(keccak_256(message), key, entropy)).toEqual(
        secp256k1.sign(keccak_256(message), key, entropy),
      )
    })

    test('ecdsaRecover returns the key with its prefix', () => {
      const hash = keccak_256(Uint8Array.of(1))
      const key = bigintToBytes32(11n)
      const { r, s, yParity } = crypto.sign(hash, key)
      const compact = hexToBytes(
        `${bytesToHex(bigintToBytes32(r))}${bytesToHex(bigintToBytes32(s)).slice(2)}`,
      )
      expect(custom(crypto).ecdsaRecover(compact, yParity, hash)).toEqual(secp256k1.getPublicKey(key, false))
    })
  })

  test('it is loaded once per process', async () => {
    const { loadCrypto, loadSecp256k1 } = await freshModule()
    const [one, two] = await Promise.all([loadCrypto(), loadCrypto()])
    await loadSecp256k1()
    expect(two).toBe(one)
    expect(await loadCrypto()).toBe(one)
    expect(loadSecp256k1()).toBe(loadSecp256k1())
  })

  test('results stay the same while the chunk loads', async () => {
    const { loadCrypto, loadSecp256k1 } = await freshModule()
    const crypto = await loadCrypto()
    const hash = crypto.keccak256(Uint8Array.of(1))
    const before = crypto.sign(hash, bigintToBytes32(77n))
    await loadSecp256k1()
    expect(crypto.sign(hash, bigintToBytes32(77n))).toEqual(before)
    expect(bytesToBigint(crypto.recover(hash, before.r, before.s, before.yParity))).toBe(
      bytesToBigint(crypto.publicKey(bigintToBytes32(77n))),
    )
  })

  test('secp256k1 runs in WebAssembly once the chunk is loaded, and in JavaScript before', async () => {
    const { loadCrypto, loadSecp256k1 } = await freshModule()
    const crypto = await loadCrypto()
    const entered: PropertyKey[] = []
    const real = Reflect.get(globalThis, 'WebAssembly')
    const instantiate = async (...args: unknown[]) => {
      const { instance } = await real.instantiate(...args)
      const get = (target: object, name: PropertyKey) => {
        entered.push(name)
        return Reflect.get(target, name)
      }
      return { instance: { exports: new Proxy({ ...instance.exports }, { get }) } }
    }
    vi.stubGlobal('WebAssembly', Object.assign(Object.create(real), { instantiate }))

    const hash = crypto.keccak256(Uint8Array.of(1))
    const { r, s, yParity } = crypto.sign(hash, bigintToBytes32(77n))
    expect(entered).toEqual([])
    await loadSecp256k1()
    entered.length = 0
    crypto.recover(hash, r, s, yParity)
    expect(entered).toContain('_secp256k1_ecdsa_recover')
  })

  test('if WebAssembly is refused, it is compiled once, and the reason is printed once', async () => {
    const { reason, refuse, warn } = refuseWebAssembly()
    const { loadCrypto, loadSecp256k1 } = await freshModule()
    await loadCrypto()
    await loadSecp256k1()
    await loadCrypto()
    expect(refuse).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls).toEqual([
      [
        'preseal: WebAssembly cannot be loaded, so hashes and signatures are computed in JavaScript, which is slower. ' +
          "A Content-Security-Policy allows WebAssembly by 'wasm-unsafe-eval' in script-src. The reason:",
        reason,
      ],
    ])
  })

  test('nothing is printed if WebAssembly is available', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { loadCrypto, loadSecp256k1 } = await freshModule()
    await loadCrypto()
    await loadSecp256k1()
    expect(warn.mock.calls).toEqual([])
  })
})
