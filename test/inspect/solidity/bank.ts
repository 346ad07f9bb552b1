/** A small project, compiled by solc. */
import type { Hex } from '../../../src/base/types.ts'
import { solc } from '../../tools/compile.ts'

const TOKEN = `contract Token {
  mapping(address => uint256) balances;

  function see(uint256 amount) public view returns (uint256) {
    require(amount < 5, "too much");
    return balances[msg.sender];
  }

  function move(uint256 amount) public {
    _take(amount);
  }

  function fail(string memory reason) public pure {
    revert(reason);
  }

  function _take(uint256 amount) internal {
    balances[msg.sender] -= amount;
  }

  error Short(uint256 have, string what);

  function refuse() public view {
    revert Short(balances[msg.sender], "gold");
  }
}
`

interface Compiled {
  readonly contracts: Record<
    string,
    Record<
      string,
      { readonly abi: readonly never[]; readonly evm: { readonly bytecode: { readonly object: string } } }
    >
  >
  readonly sources: object
}

const input = {
  language: 'Solidity',
  sources: { 'contracts/Token.sol': { content: TOKEN } },
  settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'] } } },
}
const output = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled

/** Its build info; a copy that a test may change. */
export const buildInfo = () => structuredClone({ input, output })

const { abi, evm } = output.contracts['contracts/Token.sol']!['Token']!
export const Token = { abi, bytecode: `0x${evm.bytecode.object}` as Hex }
