// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Positions at prices, each of which names the next one: a read of many depends on the one before, as in a pool that
/// crosses ticks.
contract Ladder {
    struct Rung {
        uint128 amount;
        bytes32 next;
    }

    mapping(bytes32 => Rung) public rungs;
    mapping(address => uint256) public sold;
    bytes32 public first;

    /// Adds rungs below the others.
    function add(uint128 amount, uint256 count) external {
        bytes32 above = first;
        for (uint256 i = 0; i < count; i++) {
            bytes32 name = keccak256(abi.encode(above, i, amount));
            rungs[name] = Rung(amount, above);
            above = name;
        }
        first = above;
    }

    /// Takes an amount from rung after rung; the result is how many it needed.
    function take(uint256 amount) external returns (uint256 steps) {
        sold[msg.sender] += amount;
        bytes32 at = first;
        for (; amount > 0; steps++) {
            Rung storage rung = rungs[at];
            require(at != bytes32(0), "empty");
            uint256 part = rung.amount < amount ? rung.amount : amount;
            amount -= part;
            rung.amount -= uint128(part);
            at = rung.next;
        }
        first = at;
    }
}
